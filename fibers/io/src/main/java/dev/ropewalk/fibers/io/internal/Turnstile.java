package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.util.ReferenceCountUtil;

import org.jspecify.annotations.Nullable;

/**
 * Where one fiber at a time waits, and is woken to look again: it is given nothing, so a wait that
 * ends early loses nothing (rule I4). A fiber that was abandoned here leaves the place to the next
 * one, and what it holds is released. Confined to its cord.
 */
public final class Turnstile {
    private final Object owner;
    private final String role;

    private @Nullable Fiber<?> waiting;
    private long number;

    /** The message that the waiting fiber has taken over; null if it has none. */
    private @Nullable Object held;

    /**
     * A place for one fiber.
     *
     * @param role what the fiber is that waits, "reader" for one
     */
    public Turnstile(Object owner, String role) {
        this.owner = owner;
        this.role = role;
    }

    /** Before anything is taken, also where the caller need not wait. */
    public void checkFree() {
        Fiber<?> other = waiting;
        if (other != null && other != Fiber.currentOrNull() && !leaveIfAbandoned(other)) {
            throw new IllegalStateException(
                    owner
                            + " has a "
                            + role
                            + " already, "
                            + other
                            + "; let one fiber do it, or take turns with a Mutex");
        }
    }

    /** Waits until {@link #wake}; false if the limit passed. A switchpoint. */
    public boolean await(Object reason, long limitNs) {
        return await(reason, limitNs, null);
    }

    /**
     * The same.
     *
     * @param holding is released if the fiber is abandoned in this wait, otherwise the caller's
     */
    public boolean await(Object reason, long limitNs, @Nullable Object holding) {
        checkFree();
        number = Waits.nextNumber();
        waiting = Fiber.current();
        held = holding;
        try {
            return limitNs == Long.MAX_VALUE
                    ? Waits.park(reason) != Waits.TIMED_OUT
                    : Waits.park(reason, limitNs) != Waits.TIMED_OUT;
        } finally {
            waiting = null;
            held = null;
        }
    }

    /** No effect without a waiter. */
    public void wake() {
        Fiber<?> fiber = waiting;
        if (fiber != null && !Waits.resume(fiber, number, null)) {
            leaveIfAbandoned(fiber);
        }
    }

    /** True if the place is free then. */
    private boolean leaveIfAbandoned(Fiber<?> fiber) {
        if (fiber.state() != FiberState.DEAD) {
            return false;
        }
        Object untaken = held;
        waiting = null;
        held = null;
        if (untaken != null) {
            ReferenceCountUtil.release(untaken);
        }
        return true;
    }
}
