package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.cord.RunOrder;
import dev.ropewalk.fibers.internal.report.WaitCycle;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Waiting for the end of fibers: from their own cord, from another one, and from plain threads. */
public final class FiberAwait {
    private FiberAwait() {}

    // ---------------------------------------------------------------- one

    /** Waits for the fiber's end and takes its outcome. A switchpoint, also if it has ended. */
    static <T extends @Nullable Object> Outcome<T> outcome(FiberImpl<T> target) {
        // Before anything that yields: the news of a failure may be on its way already.
        FiberImpl<?> asParent = claim(target);
        boolean wasDue = LeftAwait.isDue(asParent);
        boolean ended = false;
        try {
            Waits.switchpoint();
            ended = target.outcome() != null || end(target, Long.MAX_VALUE, true);
        } catch (Throwable raised) {
            if (LeftAwait.failedMeanwhile(asParent, List.of(target), raised, wasDue) == null) {
                throw raised;
            }
            ended = true;
        } finally {
            if (asParent != null) {
                Family.stopAwaiting(asParent, target, ended);
            }
        }
        return taken(target);
    }

    /** Takes the outcome of a fiber that has ended; no switchpoint. */
    public static <T extends @Nullable Object> T takeEnded(FiberImpl<T> ended) {
        FiberImpl<?> asParent = claim(ended);
        if (asParent != null) {
            Family.stopAwaiting(asParent, ended, true);
        }
        return taken(ended).take(ended);
    }

    private static <T extends @Nullable Object> Outcome<T> taken(FiberImpl<T> ended) {
        ended.home().noteTaken(ended);
        return outcomeOf(ended);
    }

    private static <T extends @Nullable Object> Outcome<T> outcomeOf(FiberImpl<T> target) {
        Outcome<T> outcome = target.outcome();
        if (outcome == null) {
            throw new CordClosedException(target + " has no outcome: its cord ended without it");
        }
        return outcome;
    }

    /** False if the limit passed first, and it has not ended since. */
    public static boolean end(FiberImpl<?> target, long limitNanos, boolean takesOutcome) {
        FiberImpl<?> me = FiberImpl.currentOrNull();
        if (me == null) {
            return endFromAnywhere(target, limitNanos, takesOutcome);
        }
        WaitCycle.check(me, target, limitNanos);
        RunOrder order = RunOrder.of(me);
        boolean isFirst = order.begin(me, target);
        try {
            return target.isHere()
                    ? endHere(me, target, limitNanos, takesOutcome)
                    : endFromAnywhere(target, limitNanos, takesOutcome);
        } finally {
            if (isFirst) {
                order.end(me);
            }
        }
    }

    private static boolean endHere(
            FiberImpl<?> me, FiberImpl<?> target, long limitNanos, boolean takesOutcome) {
        if (target.outcome() != null) {
            return true;
        }
        if (me.openWaiter != null) {
            Abandonment.settle(me);
        }
        EndHere wait = new EndHere(target, limitNanos, me, takesOutcome);
        try {
            target.addListener(wait);
            me.parkFor(WaitKind.LIBRARY, wait, limitNanos);
        } catch (Throwable raised) {
            if (!wait.isOver) {
                throw raised;
            }
            Cancellation.keepForNextSwitchpoint(
                    me, raised); // its outcome was taken: that comes first
        } finally {
            if (!wait.isOver) {
                target.removeListener(wait);
            }
        }
        return target.outcome() != null; // it may have ended after the limit had passed
    }

    private static boolean endFromAnywhere(
            FiberImpl<?> target, long limitNanos, boolean takesOutcome) {
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
    public static FiberImpl<?> any(List<FiberImpl<?>> targets) {
        FiberImpl<?> taken = null;
        targets.forEach(FiberAwait::claim);
        FiberImpl<?> me = FiberImpl.currentOrNull();
        boolean wasDue = LeftAwait.isDue(me);
        try {
            if (me != null) {
                me.switchpoint();
            }
            taken = firstEnded(targets);
            if (taken == null) {
                taken = awaitFirst(targets);
            } else {
                taken.home().noteTaken(taken);
            }
            return taken;
        } catch (Throwable raised) {
            taken = LeftAwait.failedMeanwhile(me, targets, raised, wasDue);
            if (taken == null) {
                throw raised;
            }
            return taken;
        } finally {
            unclaimAllBut(taken, targets);
        }
    }

    private static @Nullable FiberImpl<?> firstEnded(List<FiberImpl<?>> targets) {
        for (FiberImpl<?> each : targets) {
            if (each.outcome() != null) {
                return each;
            }
        }
        return null;
    }

    private static FiberImpl<?> awaitFirst(List<FiberImpl<?>> targets) {
        Object ended = null;
        EndWaiter waiter = new EndWaiter(true);
        try {
            FirstEndOf wait = new FirstEndOf(targets);
            begin(wait, waiter);
            ended = awaitChildren(waiter, wait);
        } finally {
            leaveAllBut(ended, targets, waiter);
        }
        for (FiberImpl<?> each : targets) {
            if (each == ended) {
                return each;
            }
        }
        throw new IllegalStateException("ended=" + ended + " is none of " + targets);
    }

    /** Waits until all have ended, or until one fails, and throws that failure. A switchpoint. */
    public static void all(List<FiberImpl<?>> targets) {
        Object failed = Waits.TIMED_OUT;
        targets.forEach(FiberAwait::claim);
        FiberImpl<?> me = FiberImpl.currentOrNull();
        boolean wasDue = LeftAwait.isDue(me);
        try {
            if (me != null) {
                me.switchpoint();
            }
            failed = awaitAll(targets);
        } catch (Throwable raised) {
            FiberImpl<?> first = LeftAwait.failedMeanwhile(me, targets, raised, wasDue);
            if (first == null) {
                throw raised;
            }
            failed = first;
        } finally {
            if (failed != null) {
                unclaimAllBut(failed, targets);
            }
        }
        if (failed instanceof FiberImpl<?> first) {
            outcomeOf(first).take(first);
        }
    }

    /** The first that failed, or null. */
    private static @Nullable Object awaitAll(List<FiberImpl<?>> targets) {
        AllWaiter waiter = new AllWaiter(targets.size());
        Object failed = Waits.TIMED_OUT;
        try {
            EndOfAll wait = new EndOfAll(targets);
            begin(wait, waiter);
            failed = awaitChildren(waiter, wait);
        } finally {
            if (failed != null) {
                leaveAllBut(failed, targets, waiter);
            }
        }
        return failed;
    }

    /** The caller's oldest child is likely to be one of them. */
    private static @Nullable Object awaitChildren(WaitSlot waiter, Object reason) {
        FiberImpl<?> me = FiberImpl.currentOrNull();
        if (me == null || !RunOrder.of(me).begin(me, me.firstChild())) {
            return waiter.await(reason);
        }
        try {
            return waiter.await(reason);
        } finally {
            RunOrder.of(me).end(me);
        }
    }

    private static void begin(WaitCycle.Several wait, EndListener waiter) {
        FiberImpl<?> me = FiberImpl.currentOrNull();
        if (me != null) {
            WaitCycle.check(me, wait);
        }
        for (Fiber<?> each : wait.fibers()) {
            listen(FiberImpl.of(each), waiter);
        }
    }

    private static void leaveAllBut(
            @Nullable Object taken, List<FiberImpl<?>> targets, EndListener waiter) {
        for (FiberImpl<?> each : targets) {
            if (each != taken) {
                unlisten(each, waiter);
            }
        }
    }

    /**
     * A child may fail, or the news of it come, while its parent begins to await it: the parent's
     * cord then holds the news back. Returns the current fiber if it is the parent.
     */
    static @Nullable FiberImpl<?> claim(FiberImpl<?> target) {
        FiberImpl<?> me = FiberImpl.currentOrNull();
        if (me == null || target.parentOrNull() != me) {
            return null;
        }
        target.isAwaitedByParent = true;
        return me;
    }

    /** If the news was held back, and the failure is not taken after all, it comes now. */
    private static void unclaimAllBut(@Nullable Object taken, List<FiberImpl<?>> targets) {
        FiberImpl<?> me = FiberImpl.currentOrNull();
        for (FiberImpl<?> each : targets) {
            if (me != null && each.parentOrNull() == me) {
                Family.stopAwaiting(me, each, each == taken);
            }
        }
    }

    // ---------------------------------------------------------------- listening

    /** From any thread; a fiber that is over is told at once, or by its cord. */
    public static void listen(FiberImpl<?> target, EndListener listener) {
        if (!target.isHere()) {
            target.send(FiberMessages.addListener(target, listener));
        } else if (target.outcome() == null) {
            target.addListener(listener);
        } else {
            tellEnd(target, listener);
        }
    }

    /** Of a fiber that is over already; it may be a root, whose failure is taken then. */
    static void tellEnd(FiberImpl<?> over, EndListener listener) {
        if (listener.ended(over)) {
            over.home().noteTaken(over);
        }
    }

    static void unlisten(FiberImpl<?> target, EndListener listener) {
        if (target.isHere()) {
            target.removeListener(listener);
        } else {
            target.send(FiberMessages.removeListener(target, listener));
        }
    }

    /** A wait for the end of one fiber of another cord, or for the first end of several. */
    private static final class EndWaiter extends WaitSlot implements EndListener {
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
    private static final class AllWaiter extends WaitSlot implements EndListener {
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
    public static class EndOf implements WaitCycle.One {
        private final FiberImpl<?> target;
        private final boolean isLimited;

        EndOf(FiberImpl<?> target, long limitNanos) {
            this.target = target;
            this.isLimited = limitNanos != Long.MAX_VALUE;
        }

        @Override
        public final FiberImpl<?> awaited() {
            return target;
        }

        public final boolean isLimited() {
            return isLimited;
        }

        @Override
        public final String toString() {
            return "the end of " + target;
        }
    }

    /** A wait for a fiber of the same cord, its reason too: a numbered wait, no atomic step. */
    private static final class EndHere extends EndOf implements EndListener {
        private final FiberImpl<?> waiting;
        private final long number;
        private final boolean takesOutcome;

        /** The fiber has ended, and that ended the wait. */
        private boolean isOver;

        EndHere(FiberImpl<?> target, long limitNanos, FiberImpl<?> waiting, boolean takesOutcome) {
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

    private record FirstEndOf(List<FiberImpl<?>> fibers) implements WaitCycle.Several {
        @Override
        public boolean needsAll() {
            return false;
        }

        @Override
        public String toString() {
            return "the first end of " + fibers.size() + " fibers";
        }
    }

    private record EndOfAll(List<FiberImpl<?>> fibers) implements WaitCycle.Several {
        @Override
        public boolean needsAll() {
            return true;
        }

        @Override
        public String toString() {
            return "the ends of " + fibers.size() + " fibers";
        }
    }
}
