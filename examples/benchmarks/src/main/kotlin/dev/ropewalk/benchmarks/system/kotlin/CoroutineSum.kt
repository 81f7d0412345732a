package dev.ropewalk.benchmarks.system.kotlin

import java.util.concurrent.atomic.LongAdder

/** A sum that many coroutines add to. */
internal sealed interface CoroutineSum {
    fun add(value: Long)

    fun total(): Long
}

/** For coroutines of one thread. */
internal class PlainCoroutineSum : CoroutineSum {
    private var total = 0L

    override fun add(value: Long) {
        total += value
    }

    override fun total(): Long = total
}

/** For coroutines of several threads. */
internal class SharedCoroutineSum : CoroutineSum {
    private val total = LongAdder()

    override fun add(value: Long) = total.add(value)

    override fun total(): Long = total.sum()
}
