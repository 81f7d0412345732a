package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/** Waiting for the end of a fiber: from its own cord, from another one, and from plain threads. */
final class FiberAwait {
    private FiberAwait() {}

    static <T extends @Nullable Object> Outcome<T> end(Fiber<T> target) {
        end(target, Long.MAX_VALUE);
        Outcome<T> outcome = target.outcome();
        if (outcome == null) {
            throw new CordClosedException(
                    target + " has no outcome: its cord ended without it. Was it abandoned?");
        }
        return outcome;
    }

    /** False if the limit passed first. */
    static boolean end(Fiber<?> target, long limitNanos) {
        Fiber<?> me = Fiber.currentOrNull();
        if (me != null) {
            checkCycle(me, target);
            me.setAwaited(target);
        }
        Waiter waiter = new Waiter();
        boolean local = me != null && me.cord() == target.cord();
        Object result = Waits.TIMED_OUT;
        try {
            if (local) {
                target.addAwaiter(waiter);
            } else {
                target.cord().send(FiberMessages.addAwaiter(target, waiter));
            }
            result = waiter.await("the end of " + target, limitNanos);
        } finally {
            if (me != null) {
                me.setAwaited(null);
            }
            if (result == Waits.TIMED_OUT) {
                leave(target, waiter, local);
            }
        }
        return result != Waits.TIMED_OUT;
    }

    private static void leave(Fiber<?> target, Waiter waiter, boolean local) {
        if (local) {
            target.removeAwaiter(waiter);
        } else {
            target.cord().send(FiberMessages.removeAwaiter(target, waiter));
        }
    }

    /** Follows the chain of awaits among fibers of this cord; other cords' chains would race. */
    private static void checkCycle(Fiber<?> me, Fiber<?> target) {
        StringBuilder path = new StringBuilder(me.name());
        Fiber<?> next = target;
        while (next != null && next.cord() == me.cord()) {
            path.append(" -> ").append(next.name());
            if (next == me) {
                throw new DeadlockException(
                        next == target
                                ? me + " awaits itself; its end cannot come while it waits for it"
                                : "a cycle of awaits would close on " + me.cord() + ": " + path);
            }
            next = next.awaited();
        }
    }

    /** Throws a checked exception where none is declared; typed as a return for the compiler. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <E extends Throwable> E sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
