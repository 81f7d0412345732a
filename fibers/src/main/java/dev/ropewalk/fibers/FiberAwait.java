package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/** Waiting for the end of a fiber: from its own cord, from another one, and from plain threads. */
final class FiberAwait {
    private FiberAwait() {}

    /** Waits for the fiber's end and takes its outcome. */
    static <T extends @Nullable Object> Outcome<T> outcome(Fiber<T> target) {
        Fiber<?> me = Fiber.currentOrNull();
        boolean isParent = me != null && target.parent == me;
        if (isParent) {
            // Before the wait: the news of a failure may be on its way already.
            target.isAwaitedByParent = true;
        }
        if (target.outcome() == null) {
            boolean ended = false;
            try {
                ended = end(target, Long.MAX_VALUE, true);
            } finally {
                if (isParent && !ended) {
                    target.isAwaitedByParent = false;
                }
            }
        }
        Outcome<T> outcome = target.outcome();
        if (outcome == null) {
            throw new CordClosedException(target + " has no outcome: its cord ended without it");
        }
        return outcome;
    }

    /** False if the limit passed first. */
    static boolean end(Fiber<?> target, long limitNanos, boolean takesOutcome) {
        Fiber<?> me = Fiber.currentOrNull();
        if (me != null) {
            checkCycle(me, target);
            me.setAwaited(target);
        }
        FiberLife.EndWaiter waiter = new FiberLife.EndWaiter(takesOutcome);
        boolean local = target.cord().isCurrent();
        Object result = Waits.TIMED_OUT;
        try {
            if (local) {
                target.addAwaiter(waiter);
            } else {
                target.cord().send(FiberMessages.addAwaiter(target, waiter));
            }
            result = waiter.await(new EndOf(target), limitNanos);
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

    /** Made into text only for reports. */
    private record EndOf(Fiber<?> fiber) {
        @Override
        public String toString() {
            return "the end of " + fiber;
        }
    }

    private static void leave(Fiber<?> target, FiberLife.EndWaiter waiter, boolean local) {
        if (local) {
            target.removeAwaiter(waiter);
        } else {
            target.cord().send(FiberMessages.removeAwaiter(target, waiter));
        }
    }

    /**
     * Follows the chain of awaits among fibers of this cord, as long as they still wait; other
     * cords' chains would race.
     */
    private static void checkCycle(Fiber<?> me, Fiber<?> target) {
        Fiber<?> next = target;
        while (next != null && next != me && isParked(next, me)) {
            next = next.awaited();
        }
        if (next == me) {
            throw new DeadlockException(
                    target == me
                            ? me + " awaits itself; its end cannot come while it waits for it"
                            : "a cycle of awaits would close on "
                                    + me.cord()
                                    + ": "
                                    + path(me, target));
        }
    }

    private static boolean isParked(Fiber<?> fiber, Fiber<?> me) {
        return fiber.cord() == me.cord() && fiber.rawState() == FiberCore.WAITING;
    }

    private static String path(Fiber<?> me, Fiber<?> target) {
        StringBuilder path = new StringBuilder(me.name());
        for (Fiber<?> next = target; next != null && next != me; next = next.awaited()) {
            path.append(" -> ").append(next.name());
        }
        return path.append(" -> ").append(me.name()).toString();
    }

    /** Throws a checked exception where none is declared; typed as a return for the compiler. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <E extends Throwable> E sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
