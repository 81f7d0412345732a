package dev.ropewalk.benchmarks.system.kotlin

import dev.ropewalk.benchmarks.measure.Heap
import dev.ropewalk.benchmarks.measure.Turns
import dev.ropewalk.benchmarks.scenario.Sizes
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.resume
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.yield

/** Coroutines that give way and wait. */
internal class CoroutineTurns(
    private val context: CoroutineContext,
    private val newSum: () -> CoroutineSum,
) {
    fun few(n: Long): Long = inTurn(n, Sizes.FEW, false)

    fun many(n: Long): Long = inTurn(n, Sizes.MANY, false)

    fun afterCollection(n: Long): Long = inTurn(n, Sizes.MANY, true)

    private fun inTurn(n: Long, size: Int, collecting: Boolean): Long {
        val sum = newSum()
        runBlocking(context) {
            repeat(size) { number ->
                launch { sum.add(takeTurns(number, n / size, collecting)) }
            }
        }
        return sum.total()
    }

    private suspend fun takeTurns(number: Int, laps: Long, collecting: Boolean): Long {
        yield()
        if (number == 0) {
            Turns.beginLap(collecting, 0)
            for (lap in 0 until laps) {
                yield()
                Turns.endLap(collecting, lap, laps)
            }
        } else {
            for (lap in 0 until laps) {
                yield()
            }
        }
        return laps
    }

    fun parked(n: Long): Long = runBlocking(context) {
        val parked = ArrayList<Continuation<Unit>>(n.toInt())
        val all = ArrayList<Deferred<Long>>(n.toInt())
        while (all.size < n) {
            all.add(async { first(parked) })
            if (all.size % Sizes.BURST == 0) {
                yield()
            }
        }
        while (synchronized(parked) { parked.size } < n) {
            yield()
        }
        Heap.measure()
        parked.forEach { it.resume(Unit) }
        all.awaitAll().sum()
    }

    private suspend fun first(parked: MutableList<Continuation<Unit>>): Long = second(parked) + 1

    private suspend fun second(parked: MutableList<Continuation<Unit>>): Long = third(parked) + 1

    private suspend fun third(parked: MutableList<Continuation<Unit>>): Long {
        suspendCancellableCoroutine { continuation ->
            synchronized(parked) { parked.add(continuation) }
        }
        return 1
    }
}
