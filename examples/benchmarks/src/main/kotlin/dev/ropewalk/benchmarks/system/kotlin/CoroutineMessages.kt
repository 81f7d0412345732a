package dev.ropewalk.benchmarks.system.kotlin

import dev.ropewalk.benchmarks.measure.Laps
import dev.ropewalk.benchmarks.measure.Sharing
import dev.ropewalk.benchmarks.scenario.Sizes
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
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
import kotlinx.coroutines.withContext

/**
 * Few actors and many messages. A sender that floods a mailbox waits while it is full. The second of
 * two actors, and the one that many send to, is in [far].
 */
internal class CoroutineMessages(
    private val context: CoroutineContext,
    private val far: CoroutineContext,
) {
    private class Hop(val left: Long, val sum: Long)

    private sealed interface Count

    /** From whose thread it comes is for [Sharing]. */
    private class Add(val value: Long, val from: Int = Sharing.here()) : Count

    private class Get(val reply: CompletableDeferred<Long>) : Count

    fun pingpong(n: Long): Long = around(2, n)

    fun ring(n: Long): Long = around(Sizes.RING, n)

    private fun around(size: Int, n: Long): Long = runBlocking(context) {
        val answer = CompletableDeferred<Long>()
        val mailboxes = List(size) { Channel<Hop>(Channel.UNLIMITED) }
        mailboxes.forEachIndexed { i, mailbox ->
            launch(if (i % 2 == 0) EmptyCoroutineContext else far) {
                passOn(mailbox, mailboxes[(i + 1) % size], answer)
            }
        }
        mailboxes.first().send(Hop(Laps.hops(n, size), Laps.sum(n, size)))
        answer.await().also { mailboxes.forEach { it.close() } }
    }

    private suspend fun passOn(
        mailbox: ReceiveChannel<Hop>,
        next: SendChannel<Hop>,
        answer: CompletableDeferred<Long>,
    ) {
        for (hop in mailbox) {
            Laps.passed(hop.left)
            val sum = hop.sum + hop.left
            if (hop.left == 1L) {
                answer.complete(sum)
            } else {
                next.send(Hop(hop.left - 1, sum))
            }
        }
    }

    fun counting(n: Long): Long = runBlocking(context) {
        val counter = Channel<Count>(Sizes.MAILBOX)
        launch(far) { count(counter) }
        for (value in 1..n) {
            counter.send(Add(value))
        }
        val total = CompletableDeferred<Long>()
        counter.send(Get(total))
        counter.close()
        total.await()
    }

    private suspend fun count(mailbox: ReceiveChannel<Count>) {
        var total = 0L
        for (message in mailbox) {
            when (message) {
                is Add -> {
                    Sharing.received(message.from)
                    total += message.value
                }
                is Get -> message.reply.complete(total)
            }
        }
    }

    fun fanin(n: Long): Long = runBlocking(context) {
        val counter = Channel<Add>(Sizes.MAILBOX)
        repeat(Sizes.PRODUCERS) {
            launch {
                for (value in 1..n / Sizes.PRODUCERS) {
                    counter.send(Add(value))
                }
            }
        }
        withContext(far) {
            var total = 0L
            for (received in 1..n) {
                val add = counter.receive()
                Sharing.received(add.from)
                total += add.value
            }
            total
        }
    }

    fun forkjoin(n: Long): Long = runBlocking(context) {
        val mailboxes = List(Sizes.FORKED) { Channel<Add>(Sizes.MAILBOX) }
        val totals = mailboxes.map { totalOf(it) }
        var next = 0
        for (value in 1..n) {
            mailboxes[next].send(Add(value))
            next = if (next + 1 == Sizes.FORKED) 0 else next + 1
        }
        mailboxes.forEach { it.close() }
        totals.awaitAll().sum()
    }

    private fun CoroutineScope.totalOf(mailbox: ReceiveChannel<Add>): Deferred<Long> = async {
        var total = 0L
        for (add in mailbox) {
            total += add.value
        }
        total
    }
}
