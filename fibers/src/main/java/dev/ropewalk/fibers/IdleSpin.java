package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How long a cord that has nothing to do looks for work before its thread sleeps, and for how short
 * a time it may be idle.
 *
 * <p>To be woken takes 30 to 60 µs, and costs the waker a system call. Two cords that answer each
 * other and both sleep go on doing so if they spin for less than that: who asks has fallen asleep
 * before the other is awake. So a cord spins for {@link #MOST_SPIN_NS} if that would have spared it
 * its last sleep. After one that was longer, or that a timer ended, it spins for half as long as
 * before, down to {@link #LEAST_SPIN_NS}: who waits for long burns little.
 *
 * <p>A cord is idle for no less than {@link #LEAST_IDLE_NS}, spin and sleep, so that timers which
 * lie close together are fired together (decision 8). A spin does not outlast the next timer.
 *
 * <p>It looks at the inbox and for tasks, not into the reactor, where nobody registers I/O yet: who
 * does must have the spin look there too.
 *
 * <p>Rejected: a fixed number of looks, which takes ten times as long on one processor as on
 * another, and was too short (scenario cords: 1,300 to 2,600 ns a round trip, now 500 to 600).
 *
 * <p>Confined to the cord's thread.
 */
final class IdleSpin {
    /** Longer than it takes to be woken. */
    static final long MOST_SPIN_NS = TimeUnit.MICROSECONDS.toNanos(100);

    static final long LEAST_SPIN_NS = TimeUnit.MICROSECONDS.toNanos(3);

    static final long LEAST_IDLE_NS = TimeUnit.MICROSECONDS.toNanos(50);

    /** With a single processor nobody else could make work meanwhile. */
    private static final boolean CAN_SPIN = Runtime.getRuntime().availableProcessors() > 1;

    /** A reading of the clock costs as much as some looks. */
    private static final int LOOKS_PER_READING = 16;

    private final LongSupplier clock;

    /** A new cord is likely to be given work soon. */
    private long spinNs = CAN_SPIN ? MOST_SPIN_NS : 0;

    /** When the last spin began, and so the cord was idle. */
    private long idleSinceNs;

    /** How long it was in vain. */
    private long spunNs;

    IdleSpin(LongSupplier clock) {
        this.clock = clock;
    }

    /** Looks for work; false if it is time to sleep, or the timer is due. */
    boolean find(BooleanSupplier hasWork, @Nullable Timer next) {
        idleSinceNs = clock.getAsLong();
        long untilNs = idleSinceNs + spinNs;
        if (next != null && next.deadlineNs - untilNs < 0) {
            untilNs = next.deadlineNs;
        }
        long nowNs;
        do {
            for (int i = 0; i < LOOKS_PER_READING; i++) {
                if (hasWork.getAsBoolean()) {
                    return true;
                }
                Thread.onSpinWait();
            }
            nowNs = clock.getAsLong();
        } while (nowNs - untilNs < 0);
        spunNs = nowNs - idleSinceNs;
        return false;
    }

    /** When the sleep after a spin in vain is to end, for the earliest timer. */
    long wakeTime(long deadlineNs) {
        return idleSinceNs + Math.max(deadlineNs - idleSinceNs, LEAST_IDLE_NS);
    }

    /** After a sleep: it tells how long the next spin is. */
    void slept(long ns, boolean wasWoken) {
        if (CAN_SPIN) {
            boolean wouldHaveSpared = wasWoken && spunNs + ns <= MOST_SPIN_NS;
            spinNs = wouldHaveSpared ? MOST_SPIN_NS : Math.max(LEAST_SPIN_NS, spinNs / 2);
        }
    }
}
