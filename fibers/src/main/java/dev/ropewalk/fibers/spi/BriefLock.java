package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.internal.platform.IdleSpin;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * The lock of a section that is over within some hundred nanoseconds: a thread that finds it held
 * spins rather than parks (decision 56).
 *
 * <pre>
 *   FREE -> HELD   enter: the compare-and-set of the holder
 *   HELD -> FREE   exit: a release store of the holder
 * </pre>
 *
 * Invariants: {@code owner} is the number of the holder's thread while the lock is HELD and its
 * holder runs code of its section, otherwise 0; {@code depth} is how often the holder has entered
 * again. Both are written by the holder only. So a thread that reads its own number holds the lock,
 * whatever else it may read.
 *
 * <p>A thread that was parked by a lock of the JDK is woken after 50 µs or more, with all fibers of
 * its cord, where the section takes a tenth of one. So a thread spins, with pauses that grow, as
 * long as it takes to be woken. If the lock is still held then, its holder has lost its CPU. The
 * thread sleeps for a short time and tries again. A holder wakes nobody: it would need a fence to
 * see whether a thread sleeps. A wake-up cannot be lost, because there is none.
 *
 * <p>Threads are served in no order, as with an unfair lock of the JDK.
 */
final class BriefLock {
    private static final int FREE = 0;
    private static final int HELD = 1;
    private static final long NOBODY = 0;

    /** Between the first two tries; then twice as many, and so on. */
    private static final int FIRST_PAUSES = 4;

    /** A pause takes 15 ns on one machine and 45 on another, so this is 1 to 3 µs. */
    private static final int MAX_PAUSES = 64;

    /** All pauses together take 15 to 40 µs. */
    private static final int TRIES = IdleSpin.CAN_SPIN ? 16 : 0;

    /** As long as a system lets a thread sleep at least. */
    private static final long SLEEP_NS = 50_000;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(BriefLock.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // read by its handle
    private int state;

    private long owner;
    private int depth;

    void enter() {
        long me = Thread.currentThread().threadId(); // first: nothing may fail while it is held
        if (!STATE.compareAndSet(this, FREE, HELD)) {
            enterBusy(me);
        }
        owner = me;
    }

    private void enterBusy(long me) {
        if (owner == me) {
            depth++;
            return;
        }
        int pauses = FIRST_PAUSES;
        for (int i = 0; i < TRIES; i++) {
            for (int j = 0; j < pauses; j++) {
                Thread.onSpinWait();
            }
            pauses = Math.min(2 * pauses, MAX_PAUSES);
            // Read first: a failed compare-and-set takes the cache line away from the holder.
            if ((int) STATE.getOpaque(this) == FREE && STATE.compareAndSet(this, FREE, HELD)) {
                return;
            }
        }
        while (!STATE.compareAndSet(this, FREE, HELD)) {
            LockSupport.parkNanos(this, SLEEP_NS);
        }
    }

    void exit() {
        if (owner != Thread.currentThread().threadId()) {
            throw new IllegalMonitorStateException(
                    Thread.currentThread() + " leaves a guard that it has not entered");
        }
        if (depth > 0) {
            depth--;
            return;
        }
        owner = NOBODY;
        STATE.setRelease(this, FREE);
    }
}
