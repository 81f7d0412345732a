package dev.ropewalk.benchmarks.jmh;

import dev.ropewalk.benchmarks.system.kotlin.CoroutineLocks;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.sync.Mutex;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A mutex that nobody else wants is locked and unlocked. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class MutexBenchmark {
    private static final int OPERATIONS = 1_000_000;

    private long guarded;

    /** The form that is confined to a cord. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalkLocal() {
        return Cord.run(() -> lockOften(Mutex.local()));
    }

    /** The form for fibers of any cord and plain threads. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long ropewalkShared() {
        return Cord.run(() -> lockOften(Mutex.shared()));
    }

    private long lockOften(Mutex mutex) {
        for (int i = 0; i < OPERATIONS; i++) {
            mutex.lock();
            try {
                guarded++;
            } finally {
                mutex.unlock();
            }
        }
        return guarded;
    }

    /** The JDK's lock, on a plain thread. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long reentrantLock() {
        ReentrantLock lock = new ReentrantLock();
        for (int i = 0; i < OPERATIONS; i++) {
            lock.lock();
            try {
                guarded++;
            } finally {
                lock.unlock();
            }
        }
        return guarded;
    }

    /** Kotlin's mutex, in a coroutine of its event loop. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public long kotlin() {
        return CoroutineLocks.mutex(OPERATIONS);
    }
}
