package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Waiting for the end of fibers: from their own cord, from another one, and from plain threads. */
final class FiberAwait {
    private FiberAwait() {}

    // ---------------------------------------------------------------- one

    /** Waits for the fiber's end and takes its outcome. A switchpoint, also if it has ended. */
    static <T extends @Nullable Object> Outcome<T> outcome(Fiber<T> target) {
        // Before anything that yields: the news of a failure may be on its way already.
        Fiber<?> asParent = claim(target);
        boolean ended = false;
        try {
            Waits.switchpoint();
            ended = target.outcome() != null || end(target, Long.MAX_VALUE, true);
        } finally {
            if (asParent != null) {
                asParent.stopAwaiting(target, ended);
            }
        }
        return taken(target);
    }

    /** Takes the outcome of a fiber that has ended; no switchpoint. */
    static <T extends @Nullable Object> T takeEnded(Fiber<T> ended) {
        Fiber<?> asParent = claim(ended);
        if (asParent != null) {
            asParent.stopAwaiting(ended, true);
        }
        return taken(ended).take(ended);
    }

    private static <T extends @Nullable Object> Outcome<T> taken(Fiber<T> ended) {
        ended.home().noteTaken(ended);
        return outcomeOf(ended);
    }

    private static <T extends @Nullable Object> Outcome<T> outcomeOf(Fiber<T> target) {
        Outcome<T> outcome = target.outcome();
        if (outcome == null) {
            throw new CordClosedException(target + " has no outcome: its cord ended without it");
        }
        return outcome;
    }

    /** False if the limit passed first, and it has not ended since. */
    static boolean end(Fiber<?> target, long limitNanos, boolean takesOutcome) {
        Fiber<?> me = Fiber.currentOrNull();
        if (me == null) {
            return endFromAnywhere(target, limitNanos, takesOutcome);
        }
        WaitCycle.check(me, target, limitNanos);
        return target.isHere()
                ? endHere(me, target, limitNanos, takesOutcome)
                : endFromAnywhere(target, limitNanos, takesOutcome);
    }

    private static boolean endHere(
            Fiber<?> me, Fiber<?> target, long limitNanos, boolean takesOutcome) {
        if (target.outcome() != null) {
            return true;
        }
        if (me.openWaiter != null) {
            me.settle();
        }
        EndHere wait = new EndHere(target, limitNanos, me, takesOutcome);
        try {
            target.addListener(wait);
            me.parkFor(WaitKind.LIBRARY, wait, limitNanos);
        } catch (Throwable raised) {
            if (!wait.isOver) {
                throw raised;
            }
            me.keepForNextSwitchpoint(raised); // its outcome was taken: that comes first
        } finally {
            if (!wait.isOver) {
                target.removeListener(wait);
            }
        }
        return target.outcome() != null; // it may have ended after the limit had passed
    }

    private static boolean endFromAnywhere(Fiber<?> target, long limitNanos, boolean takesOutcome) {
        EndWaiter waiter = new EndWaiter(takesOutcome);
        Object result = Waits.TIMED_OUT;
        try {
            listen(target, waiter);
            result = waiter.await(new EndOf(target, limitNanos), limitNanos);
        } finally {
            if (result == Waits.TIMED_OUT) {
                unlisten(target, waiter);
            }
        }
        return result != Waits.TIMED_OUT;
    }

    // ---------------------------------------------------------------- several

    /**
     * The first of them to end; of those that had ended before, the first in the list. A
     * switchpoint, also if one has ended.
     */
    static <F extends Fiber<?>> F any(List<F> targets) {
        Object taken = null;
        targets.forEach(FiberAwait::claim);
        try {
            Waits.switchpoint();
            F ended = firstEnded(targets);
            if (ended == null) {
                ended = awaitFirst(targets);
            } else {
                ended.home().noteTaken(ended);
            }
            taken = ended;
            return ended;
        } finally {
            unclaimAllBut(taken, targets);
        }
    }

    private static <F extends Fiber<?>> @Nullable F firstEnded(List<F> targets) {
        for (F each : targets) {
            if (each.outcome() != null) {
                return each;
            }
        }
        return null;
    }

    private static <F extends Fiber<?>> F awaitFirst(List<F> targets) {
        Object ended = null;
        EndWaiter waiter = new EndWaiter(true);
        try {
            FirstEndOf wait = new FirstEndOf(targets);
            begin(wait, waiter);
            ended = waiter.await(wait);
        } finally {
            leaveAllBut(ended, targets, waiter);
        }
        for (F each : targets) {
            if (each == ended) {
                return each;
            }
        }
        throw new IllegalStateException("ended=" + ended + " is none of " + targets);
    }

    /** Waits until all have ended, or until one fails, and throws that failure. A switchpoint. */
    static void all(List<? extends Fiber<?>> targets) {
        Object failed = Waits.TIMED_OUT;
        targets.forEach(FiberAwait::claim);
        try {
            Waits.switchpoint();
            failed = awaitAll(targets);
        } finally {
            if (failed != null) {
                unclaimAllBut(failed, targets);
            }
        }
        if (failed instanceof Fiber<?> first) {
            outcomeOf(first).take(first);
        }
    }

    /** The first that failed; null if none did. */
    private static @Nullable Object awaitAll(List<? extends Fiber<?>> targets) {
        AllWaiter waiter = new AllWaiter(targets.size());
        Object failed = Waits.TIMED_OUT;
        try {
            EndOfAll wait = new EndOfAll(targets);
            begin(wait, waiter);
            failed = waiter.await(wait);
        } finally {
            if (failed != null) {
                leaveAllBut(failed, targets, waiter);
            }
        }
        return failed;
    }

    private static void begin(WaitCycle.Several wait, EndListener waiter) {
        Fiber<?> me = Fiber.currentOrNull();
        if (me != null) {
            WaitCycle.check(me, wait.fibers(), wait.needsAll());
        }
        for (Fiber<?> each : wait.fibers()) {
            listen(each, waiter);
        }
    }

    private static void leaveAllBut(
            @Nullable Object taken, List<? extends Fiber<?>> targets, EndListener waiter) {
        for (Fiber<?> each : targets) {
            if (each != taken) {
                unlisten(each, waiter);
            }
        }
    }

    /**
     * A child may fail, or the news of it come, while its parent begins to await it: the parent's
     * cord then holds the news back. Returns the current fiber if it is the parent.
     */
    private static @Nullable Fiber<?> claim(Fiber<?> target) {
        Fiber<?> me = Fiber.currentOrNull();
        if (me == null || target.parentOrNull() != me) {
            return null;
        }
        target.isAwaitedByParent = true;
        return me;
    }

    /** If the news was held back, and the failure is not taken after all, it comes now. */
    private static void unclaimAllBut(@Nullable Object taken, List<? extends Fiber<?>> targets) {
        Fiber<?> me = Fiber.currentOrNull();
        for (Fiber<?> each : targets) {
            if (me != null && each.parentOrNull() == me) {
                me.stopAwaiting(each, each == taken);
            }
        }
    }

    // ---------------------------------------------------------------- listening

    /** From any thread; a fiber that is over is told at once, or by its cord. */
    static void listen(Fiber<?> target, EndListener listener) {
        if (!target.isHere()) {
            target.send(FiberMessages.addListener(target, listener));
        } else if (target.outcome() == null) {
            target.addListener(listener);
        } else {
            tellEnd(target, listener);
        }
    }

    /** Of a fiber that is over already; it may be a root, whose failure is taken then. */
    static void tellEnd(Fiber<?> over, EndListener listener) {
        if (listener.ended(over)) {
            over.home().noteTaken(over);
        }
    }

    static void unlisten(Fiber<?> target, EndListener listener) {
        if (target.isHere()) {
            target.removeListener(listener);
        } else {
            target.send(FiberMessages.removeListener(target, listener));
        }
    }

    /** A wait for the end of one fiber of another cord, or for the first end of several. */
    private static final class EndWaiter extends WaitCell implements EndListener {
        private final boolean takesOutcome;

        EndWaiter(boolean takesOutcome) {
            this.takesOutcome = takesOutcome;
        }

        @Override
        public boolean ended(Fiber<?> fiber) {
            return give(fiber) && takesOutcome;
        }
    }

    /** A wait for the ends of all, given null, or for the first failure, given that fiber. */
    private static final class AllWaiter extends WaitCell implements EndListener {
        private final AtomicInteger left;

        AllWaiter(int targets) {
            this.left = new AtomicInteger(targets);
        }

        @Override
        public boolean ended(Fiber<?> fiber) {
            if (fiber.failure() != null) {
                return give(fiber);
            }
            if (left.decrementAndGet() == 0) {
                give(null);
            }
            return false;
        }
    }

    /** Made into text only for reports. */
    static class EndOf implements WaitCycle.One {
        private final Fiber<?> target;
        private final boolean isLimited;

        EndOf(Fiber<?> target, long limitNanos) {
            this.target = target;
            this.isLimited = limitNanos != Long.MAX_VALUE;
        }

        @Override
        public final Fiber<?> awaited() {
            return target;
        }

        final boolean isLimited() {
            return isLimited;
        }

        @Override
        public final String toString() {
            return "the end of " + target;
        }
    }

    /** A wait for a fiber of the same cord, its reason too: a numbered wait, no atomic step. */
    private static final class EndHere extends EndOf implements EndListener {
        private final Fiber<?> waiting;
        private final long number;
        private final boolean takesOutcome;

        /** The fiber has ended, and that ended the wait. */
        private boolean isOver;

        EndHere(Fiber<?> target, long limitNanos, Fiber<?> waiting, boolean takesOutcome) {
            super(target, limitNanos);
            this.waiting = waiting;
            this.number = waiting.nextWaitNumber();
            this.takesOutcome = takesOutcome;
        }

        @Override
        public boolean ended(Fiber<?> fiber) {
            // Its reason too: a wait that had no room to begin leaves its number to the next one.
            isOver = waiting.waitReason() == this && waiting.resume(number, fiber);
            return isOver && takesOutcome;
        }
    }

    private record FirstEndOf(List<? extends Fiber<?>> fibers) implements WaitCycle.Several {
        @Override
        public boolean needsAll() {
            return false;
        }

        @Override
        public String toString() {
            return "the first end of " + fibers.size() + " fibers";
        }
    }

    private record EndOfAll(List<? extends Fiber<?>> fibers) implements WaitCycle.Several {
        @Override
        public boolean needsAll() {
            return true;
        }

        @Override
        public String toString() {
            return "the ends of " + fibers.size() + " fibers";
        }
    }

    /** Throws a checked exception where none is declared; typed as a return for the compiler. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <E extends Throwable> E sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
