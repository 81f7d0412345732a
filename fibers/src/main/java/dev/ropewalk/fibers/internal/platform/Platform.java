package dev.ropewalk.fibers.internal.platform;

import dev.ropewalk.fibers.internal.reactor.Reactor;

import org.jspecify.annotations.Nullable;

import java.util.function.BooleanSupplier;

/**
 * The one platform through which a cord reads time, draws random numbers and parks (rule F14).
 *
 * <p>All methods but {@link #nanoTime} and {@link #wakeUp} are for the cord's own thread.
 */
public interface Platform {
    /** A fresh reading of the monotonic clock. */
    long nanoTime();

    /** A random number from 0 to {@code bound - 1}. */
    int nextInt(int bound);

    /** True if the order of the run queue is to be drawn at random. */
    boolean isOrderSeeded();

    /** True if the cord shares its thread, so that its driver decides when it has its turns. */
    default boolean isInTurns() {
        return false;
    }

    /** True if time jumps instead of passing, so that nothing may block the thread. */
    boolean isVirtual();

    /**
     * Waits until the deadline, an I/O event or a wake-up; it may return earlier, now and then.
     *
     * @param deadlineNs when to return at the latest; meaningless unless {@code timed}
     * @param hasWork read again after the cord has been marked as asleep
     */
    void park(boolean timed, long deadlineNs, BooleanSupplier hasWork);

    /** True if {@link #park} without a limit ends by itself; asked on a virtual clock only. */
    default boolean isAnyEventToCome() {
        return false;
    }

    /** Ends the current {@link #park}, or otherwise the next one; from any thread. */
    void wakeUp();

    /** The cord's source of I/O; null before I/O was asked for, and on a virtual clock. */
    default @Nullable Reactor reactor() {
        return null;
    }

    /** Gives back what the platform owns; the cord's last act. */
    void close();
}
