package dev.ropewalk.benchmarks.system.kotlin

import dev.ropewalk.benchmarks.measure.Heap
import dev.ropewalk.benchmarks.scenario.Sizes
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.channels.SendChannel
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield

/** Very many coroutines that do little each. */
internal class CoroutineCrowds(
    private val context: CoroutineContext,
    private val newSum: () -> CoroutineSum,
) {
    private class Add(val value: Long)

    private class Handled

    fun forkjoin(n: Long): Long {
        val sum = newSum()
        runBlocking(context) {
            for (value in 1..n) {
                val mailbox = Channel<Add>(Channel.UNLIMITED)
                launch { sum.add(mailbox.receive().value) }
                mailbox.send(Add(value))
                if (value % Sizes.BURST == 0L) {
                    yield()
                }
            }
        }
        return sum.total()
    }

    fun tasks(n: Long): Long {
        val sum = newSum()
        runBlocking(context) {
            for (value in 1..n) {
                launch { sum.add(value) }
                if (value % Sizes.BURST == 0L) {
                    yield()
                }
            }
        }
        return sum.total()
    }

    fun skynet(n: Long): Long = runBlocking(context) { node(0, n).await() }

    private fun CoroutineScope.node(number: Long, size: Long): Deferred<Long> = async {
        if (size == 1L) {
            number
        } else {
            val part = size / Sizes.FANOUT
            val children = List(Sizes.FANOUT) { node(number + it * part, part) }
            children.sumOf { it.await() }
        }
    }

    fun timers(n: Long): Long {
        val slept = newSum()
        runBlocking(context) {
            for (sleeper in 0 until n / Sizes.SLEEPS) {
                launch {
                    val millis = Sizes.sleepMillis(sleeper)
                    repeat(Sizes.SLEEPS) {
                        delay(millis)
                        slept.add(1)
                    }
                }
            }
        }
        return slept.total()
    }

    fun mem(n: Long): Long = runBlocking(context) {
        val handled = Channel<Handled>(Channel.UNLIMITED)
        val mailboxes = ArrayList<Channel<Add>>(n.toInt())
        var answer = 0L
        while (mailboxes.size < n) {
            val burst = minOf(Sizes.BURST, n.toInt() - mailboxes.size)
            repeat(burst) {
                val mailbox = Channel<Add>(Channel.UNLIMITED)
                mailboxes.add(mailbox)
                launch { handle(mailbox, handled) }
                mailbox.send(Add(mailboxes.size.toLong()))
            }
            repeat(burst) {
                handled.receive()
                answer++
            }
        }
        Heap.measure()
        mailboxes.forEach { it.close() }
        answer
    }

    private suspend fun handle(mailbox: ReceiveChannel<Add>, handled: SendChannel<Handled>) {
        var total = 0L
        for (add in mailbox) {
            total += add.value
            handled.send(Handled())
        }
    }
}
