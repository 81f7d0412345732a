package dev.ropewalk.benchmarks.system.kotlin

import dev.ropewalk.benchmarks.scenario.Sizes
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** Elements through channels. */
internal class CoroutineChannels(private val context: CoroutineContext) {
    private class Item(val value: Long)

    fun rendezvous(n: Long): Long = through(Channel.RENDEZVOUS, n)

    fun buffered(n: Long): Long = through(Sizes.BUFFER, n)

    private fun through(capacity: Int, n: Long): Long = runBlocking(context) {
        sumOf(source(capacity, n))
    }

    fun pipeline(n: Long): Long = runBlocking(context) {
        var last = source(Sizes.BUFFER, n)
        repeat(Sizes.STAGES) { last = stage(last) }
        sumOf(last)
    }

    private fun CoroutineScope.source(capacity: Int, n: Long): ReceiveChannel<Item> {
        val output = Channel<Item>(capacity)
        launch {
            for (value in 1..n) {
                output.send(Item(value))
            }
            output.close()
        }
        return output
    }

    private fun CoroutineScope.stage(input: ReceiveChannel<Item>): ReceiveChannel<Item> {
        val output = Channel<Item>(Sizes.BUFFER)
        launch {
            for (item in input) {
                output.send(Item(item.value + 1))
            }
            output.close()
        }
        return output
    }

    private suspend fun sumOf(input: ReceiveChannel<Item>): Long {
        var sum = 0L
        for (item in input) {
            sum += item.value
        }
        return sum
    }
}
