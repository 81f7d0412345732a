package dev.ropewalk.fibers.internal.platform;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How long a cord that has nothing to do polls for work before its thread sleeps, and for how short
 * a time it may be idle.
 *
 * <p>To be woken takes 30 to 60 µs, and costs the waker a system call. If two cords that answer
 * each other both sleep, they go on sleeping each time if they spin for less than that: the asker
 * has fallen asleep before the other is awake. So a cord spins for {@link #MAX_SPIN_NS} if that
 * would have spared it its last sleep. After one that was longer, or that a timer ended, it spins
 * for half as long as before, down to {@link #LEAST_SPIN_NS}: a cord that waits for long burns
 * little.
 *
 * <p>The thread that is to answer may need this very CPU. So after {@link #ALONE_NS} the cord gives
 * its CPU up, and again after as long, or after the next polls if another thread has run meanwhile
 * (decision 12). A sleep after that may have been short only because it gave the CPU up too: the
 * next spin is not longer for it. A spin of less than that gives nothing up: the sleep does.
 *
 * <p>A cord is idle for at least {@link #LEAST_IDLE_NS}, spin and sleep, so that timers which lie
 * close together are fired together (decision 8). A spin does not outlast the next timer.
 *
 * <p>It polls the inbox, for tasks and, if there is one, the reactor.
 *
 * <p>Rejected: a fixed number of polls, which takes ten times as long on one processor as on
 * another, and was too short (scenario cords: 1,300 to 2,600 ns a round trip, now 500 to 600).
 *
 * <p>Confined to the cord's thread.
 */
public final class IdleSpin {
    /** Longer than it takes to be woken. */
    static final long MAX_SPIN_NS = TimeUnit.MICROSECONDS.toNanos(100);

    static final long LEAST_SPIN_NS = TimeUnit.MICROSECONDS.toNanos(3);

    static final long LEAST_IDLE_NS = TimeUnit.MICROSECONDS.toNanos(50);

    /** In that time an answer comes from a cord that has a CPU for itself, and is awake. */
    static final long ALONE_NS = TimeUnit.MICROSECONDS.toNanos(5);

    /**
     * A yield takes half a microsecond if no other thread wants the CPU, and above two if one runs.
     * Too short on a slow machine does little harm: it gives its CPU up more often, then.
     */
    static final long YIELD_NS = TimeUnit.MICROSECONDS.toNanos(2);

    /** With a single processor no other thread could make work meanwhile. */
    public static final boolean CAN_SPIN = Runtime.getRuntime().availableProcessors() > 1;

    /** A reading of the clock costs as much as some polls. */
    private static final int POLLS_PER_READING = 16;

    private final LongSupplier clock;

    /** Gives the CPU to another thread that wants it, if there is one. */
    private final Runnable giveUpCpu;

    /** A new cord is likely to be given work soon. */
    private long spinNs = CAN_SPIN ? MAX_SPIN_NS : 0;

    /** When the last spin began, which is when the cord became idle. */
    private long idleSinceNs;

    /** How long it was in vain. */
    private long spunNs;

    /** Another thread has run on this CPU in the last spin. */
    private boolean isCpuShared;

    public IdleSpin(LongSupplier clock, Runnable giveUpCpu) {
        this.clock = clock;
        this.giveUpCpu = giveUpCpu;
    }

    /**
     * Polls for work; false if it is time to sleep, or the deadline has come.
     *
     * @param deadlineNs meaningless unless {@code timed}
     */
    public boolean find(BooleanSupplier hasWork, boolean timed, long deadlineNs) {
        idleSinceNs = clock.getAsLong();
        long untilNs = idleSinceNs + spinNs;
        if (timed && deadlineNs - untilNs < 0) {
            untilNs = deadlineNs;
        }
        long yieldNs = idleSinceNs + ALONE_NS;
        isCpuShared = false;
        long nowNs;
        do {
            if (hasWorkSoon(hasWork)) {
                return true;
            }
            nowNs = clock.getAsLong();
            if (nowNs - yieldNs >= 0 && nowNs - untilNs < 0) {
                giveUpCpu.run();
                long backNs = clock.getAsLong();
                boolean hasOtherRun = backNs - nowNs > YIELD_NS;
                isCpuShared |= hasOtherRun;
                // It polls again at any time, because that thread may have made work.
                yieldNs = hasOtherRun ? backNs : backNs + ALONE_NS;
            }
        } while (nowNs - untilNs < 0);
        spunNs = nowNs - idleSinceNs;
        return false;
    }

    private static boolean hasWorkSoon(BooleanSupplier hasWork) {
        for (int i = 0; i < POLLS_PER_READING; i++) {
            if (hasWork.getAsBoolean()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** When the sleep after a spin in vain is to end, for the earliest timer. */
    public long wakeTime(long deadlineNs) {
        return idleSinceNs + Math.max(deadlineNs - idleSinceNs, LEAST_IDLE_NS);
    }

    /** After a sleep: it tells how long the next spin is. */
    public void slept(long ns, boolean wasWoken) {
        if (CAN_SPIN) {
            if (!wasWoken || spunNs + ns > MAX_SPIN_NS) {
                spinNs = Math.max(LEAST_SPIN_NS, spinNs / 2);
            } else if (!isCpuShared) {
                spinNs = MAX_SPIN_NS;
            }
        }
    }
}
