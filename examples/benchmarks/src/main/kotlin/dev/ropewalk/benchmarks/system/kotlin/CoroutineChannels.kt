package dev.ropewalk.benchmarks.system.kotlin

import dev.ropewalk.benchmarks.measure.Heap
import dev.ropewalk.benchmarks.measure.Sharing
import dev.ropewalk.benchmarks.scenario.Sizes
import dev.ropewalk.benchmarks.scenario.Stages
import dev.ropewalk.benchmarks.scenario.Work
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.withContext

/** Elements through channels; the receiving end is in [far]. */
internal class CoroutineChannels(
    private val context: CoroutineContext,
    private val far: CoroutineContext,
) {
    /** From whose thread it comes is for [Sharing]. */
    private class Item(val value: Long, val from: Int = Sharing.here())

    fun rendezvous(n: Long): Long = through(Channel.RENDEZVOUS, n)

    fun buffered(n: Long): Long = through(Sizes.BUFFER, n)

    private fun through(capacity: Int, n: Long): Long = runBlocking(context) {
        sumOf(source(capacity, n))
    }

    fun pipeline(n: Long): Long = runBlocking(context) {
        var last = source(Sizes.BUFFER, n)
        repeat(Sizes.STAGES) {
            last = stage(last, if (it < Sizes.STAGES / 2) EmptyCoroutineContext else far)
        }
        sumOf(last)
    }

    fun work(n: Long): Long = runBlocking(context) {
        val channel = Channel<Item>(Sizes.BUFFER)
        launch {
            for (value in 1..n) {
                channel.send(Item(Work.on(value)))
            }
            channel.close()
        }
        withContext(far) {
            var sum = 0L
            for (item in channel) {
                Sharing.received(item.from)
                sum += Work.on(item.value)
            }
            sum
        }
    }

    fun select(n: Long): Long = runBlocking(context) {
        val (a, b, c, d) = List(Sizes.SELECTED) {
            val channel = Channel<Item>(Sizes.BUFFER)
            launch {
                for (value in 1..n / Sizes.SELECTED) {
                    channel.send(Item(value))
                }
            }
            channel
        }
        var sum = 0L
        for (received in 1..n) {
            sum += select<Item> {
                a.onReceive { it }
                b.onReceive { it }
                c.onReceive { it }
                d.onReceive { it }
            }.value
        }
        sum
    }

    fun fused(n: Long): Long = runBlocking(context) {
        var sum = 0L
        (1..n).asFlow()
            .map { Stages.Item(it) }
            .map { Stages.one(it) }
            .map { Stages.two(it) }
            .map { Stages.three(it) }
            .map { Stages.four(it) }
            .map { Stages.five(it) }
            .map { Stages.six(it) }
            .map { Stages.seven(it) }
            .map { Stages.eight(it) }
            .map { Stages.nine(it) }
            .map { Stages.ten(it) }
            .collect { sum += it.value }
        sum
    }

    fun idle(n: Long): Long = runBlocking(context) {
        val all = ArrayList<Channel<Item>>(n.toInt())
        for (value in 1..n) {
            val channel = Channel<Item>(Sizes.BUFFER)
            channel.send(Item(value))
            channel.receive()
            all.add(channel)
        }
        Heap.measure()
        all.size.toLong()
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

    private fun CoroutineScope.stage(
        input: ReceiveChannel<Item>,
        where: CoroutineContext,
    ): ReceiveChannel<Item> {
        val output = Channel<Item>(Sizes.BUFFER)
        launch(where) {
            for (item in input) {
                Sharing.received(item.from)
                output.send(Item(item.value + 1))
            }
            output.close()
        }
        return output
    }

    private suspend fun sumOf(input: ReceiveChannel<Item>): Long = withContext(far) {
        var sum = 0L
        for (item in input) {
            Sharing.received(item.from)
            sum += item.value
        }
        sum
    }
}
