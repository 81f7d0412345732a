package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.fiber.WaitSlot;

import org.jspecify.annotations.Nullable;

/**
 * One wait of a fiber or a plain thread that may be ended from any thread (rule F8).
 *
 * <p>A giver that comes too late is told so, and takes its next waiter. A waiter that was given a
 * value in the last moment takes it, and the exception that came too late stays pending for its
 * next switchpoint.
 *
 * <p>Everything that the giver did before {@link #give} happens before {@link #await} returns. A
 * cell is for one wait; it may carry an element of its subclass.
 */
public class WaitCell {
    private final WaitSlot slot = new WaitSlot();

    /** A wait for the current fiber, or of the current thread if it is no cord. */
    public WaitCell() {}

    /** {@return the fiber that waits, null if it is a plain thread} */
    public final @Nullable Fiber<?> fiber() {
        return slot.fiber();
    }

    /**
     * Ends the wait with the value, from any thread. Never switches.
     *
     * @param value what {@code await} returns
     * @return false if the wait is already over; the value was not taken then
     */
    public final boolean give(@Nullable Object value) {
        return slot.give(value);
    }

    /**
     * The first half of {@link #give}: decides, and does not wake the waiter yet. For givers that
     * hold a lock; after true they must call {@link #wake} when they have let go of it.
     *
     * @param value what {@code await} returns
     * @return false if the wait is already over; the value was not taken then
     */
    public final boolean claim(@Nullable Object value) {
        return slot.claim(value);
    }

    /** The second half of {@link #give}: wakes the waiter that this thread has claimed. */
    public final void wake() {
        slot.wake();
    }

    /** {@return whether a value may still be given; only a hint, because it can change at once} */
    public final boolean isWaiting() {
        return slot.isWaiting();
    }

    /**
     * Waits until {@link #give}. A switchpoint.
     *
     * @param reason the object that is waited for; its {@code toString} is shown in reports
     * @return the value given
     * @throws WaitInterruptedException if a plain thread was interrupted; nothing was taken
     */
    public final @Nullable Object await(Object reason) {
        return slot.await(reason, Long.MAX_VALUE);
    }

    /**
     * Waits until {@link #give} or until the limit passes. A switchpoint. Terminating or raising
     * into the waiting fiber ends the wait with that exception, and nothing was taken.
     *
     * @param reason the object that is waited for; its {@code toString} is shown in reports
     * @param timeoutNanos the limit in nanoseconds; {@code Long.MAX_VALUE} for none
     * @return the value given, or {@link Waits#TIMED_OUT}
     * @throws WaitInterruptedException if a plain thread was interrupted; nothing was taken
     */
    public final @Nullable Object await(Object reason, long timeoutNanos) {
        return slot.await(reason, timeoutNanos);
    }

    /**
     * Waits until {@link #give} or until a moment that the caller has computed already, which
     * spares a reading of the clock. A switchpoint. Terminating or raising into the waiting fiber
     * ends the wait with that exception, and nothing was taken.
     *
     * @param reason the object that is waited for; its {@code toString} is shown in reports
     * @param deadlineNanos on the clock of {@link Waits#nanoTime}
     * @param limitNanos the limit that led to the moment, by which waits that are alike are kept
     *     together; {@code Long.MAX_VALUE} for none
     * @return the value given, or {@link Waits#TIMED_OUT}
     * @throws WaitInterruptedException if a plain thread was interrupted; nothing was taken
     */
    public final @Nullable Object awaitUntil(Object reason, long deadlineNanos, long limitNanos) {
        return slot.awaitUntil(reason, deadlineNanos, limitNanos);
    }
}
