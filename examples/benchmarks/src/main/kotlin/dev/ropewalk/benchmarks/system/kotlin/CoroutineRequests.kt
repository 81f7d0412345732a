package dev.ropewalk.benchmarks.system.kotlin

import dev.ropewalk.benchmarks.scenario.Sizes
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.channels.SendChannel
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** Many actors that ask one another. */
internal class CoroutineRequests(private val context: CoroutineContext) {
    private sealed interface Message

    private class Ping(val replyTo: SendChannel<Message>) : Message

    private class Pong : Message

    private class Done(val pongs: Long)

    fun big(n: Long): Long = runBlocking(context) {
        val mailboxes = List(Sizes.BIG) { Channel<Message>(Channel.UNLIMITED) }
        val done = Channel<Done>(Channel.UNLIMITED)
        repeat(Sizes.BIG) { launch { pingOthers(it, mailboxes, n / Sizes.BIG, done) } }
        var pongs = 0L
        repeat(Sizes.BIG) { pongs += done.receive().pongs }
        mailboxes.forEach { it.close() }
        pongs
    }

    private suspend fun pingOthers(
        index: Int,
        mailboxes: List<Channel<Message>>,
        pings: Long,
        done: SendChannel<Done>,
    ) {
        val mailbox = mailboxes[index]
        var pongs = 0L
        var random = Sizes.random(index + 1)
        mailboxes[Sizes.other(index, random)].send(Ping(mailbox))
        for (message in mailbox) {
            when (message) {
                is Ping -> message.replyTo.send(Pong())
                is Pong ->
                    if (++pongs == pings) {
                        done.send(Done(pongs))
                    } else {
                        random = Sizes.random(random)
                        mailboxes[Sizes.other(index, random)].send(Ping(mailbox))
                    }
            }
        }
    }

    private sealed interface Order

    private class Transfer(
        val destination: SendChannel<Order>,
        val amount: Long,
        val teller: SendChannel<Transferred>,
    ) : Order

    private class Credit(val amount: Long, val credited: CompletableDeferred<Unit>) : Order

    private class Transferred

    private class Statement(val balance: Long, val credited: Long)

    fun bank(n: Long): Long = runBlocking(context) {
        val accounts = List(Sizes.ACCOUNTS) { Channel<Order>(Channel.UNLIMITED) }
        val statements = accounts.map { account(it) }
        tell(n, accounts)
        accounts.forEach { it.close() }
        val all = statements.awaitAll()
        check(all.sumOf { it.balance } == 0L) { "the balances do not add up to 0" }
        all.sumOf { it.credited }
    }

    private suspend fun tell(n: Long, accounts: List<SendChannel<Order>>) {
        val replies = Channel<Transferred>(Channel.UNLIMITED)
        for (first in 0 until n step Sizes.BURST.toLong()) {
            val end = minOf(first + Sizes.BURST, n)
            for (i in first until end) {
                val destination = accounts[Sizes.destination(i)]
                accounts[Sizes.source(i)].send(Transfer(destination, Sizes.amount(i), replies))
            }
            for (i in first until end) {
                replies.receive()
            }
        }
    }

    private fun CoroutineScope.account(mailbox: ReceiveChannel<Order>): Deferred<Statement> =
        async {
            var balance = 0L
            var credited = 0L
            for (order in mailbox) {
                when (order) {
                    is Transfer -> {
                        balance -= order.amount
                        val reply = CompletableDeferred<Unit>()
                        order.destination.send(Credit(order.amount, reply))
                        reply.await()
                        order.teller.send(Transferred())
                    }
                    is Credit -> {
                        balance += order.amount
                        credited += order.amount
                        order.credited.complete(Unit)
                    }
                }
            }
            Statement(balance, credited)
        }
}
