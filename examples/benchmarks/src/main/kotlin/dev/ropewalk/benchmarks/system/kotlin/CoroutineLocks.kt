package dev.ropewalk.benchmarks.system.kotlin

import dev.ropewalk.benchmarks.scenario.Guarded
import dev.ropewalk.benchmarks.scenario.Sizes
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.Semaphore
import kotlinx.coroutines.yield

/** The locks of coroutines. */
public class CoroutineLocks(private val context: CoroutineContext) {
    fun semaphore(n: Long): Long = runBlocking(context) {
        val semaphore = Semaphore(1)
        val guarded = Guarded()
        for (i in 1..n) {
            semaphore.acquire()
            guarded.add()
            semaphore.release()
        }
        guarded.count()
    }

    fun busy(n: Long): Long {
        val mutex = Mutex()
        val guarded = Guarded()
        runBlocking(context) {
            repeat(Sizes.FEW) {
                launch {
                    for (i in 1..n / Sizes.FEW) {
                        mutex.lock()
                        if (guarded.count() == 0L) {
                            yield()
                        }
                        guarded.add()
                        mutex.unlock()
                    }
                }
            }
        }
        return guarded.count()
    }

    companion object {
        /** One mutex, locked and unlocked so often by one coroutine. */
        @JvmStatic
        fun mutex(n: Int): Long = runBlocking {
            val mutex = Mutex()
            val guarded = Guarded()
            for (i in 1..n) {
                mutex.lock()
                guarded.add()
                mutex.unlock()
            }
            guarded.count()
        }
    }
}
