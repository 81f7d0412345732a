package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.context.LocalValues;
import dev.ropewalk.fibers.internal.report.FiberTimes;
import dev.ropewalk.fibers.internal.report.FiberTraces;
import dev.ropewalk.fibers.internal.stack.Stacks;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * How a fiber ends (rules F3 and F7): the body is over; a pending exception joins its outcome; the
 * children are terminated and awaited within the limit, shielded; a handler cleans up; the outcome
 * is published; awaiters and the handler are told; and the parent is told on its own cord, with the
 * failure if it had no taker. From publishing on no fiber is current, so code that is called then
 * cannot wait or spin as a dead fiber.
 *
 * <p>Methods without a note are confined to the fiber's cord.
 */
public final class Ending {
    private Ending() {}

    /** See {@link Abandonment#load}. */
    static void load() {}

    /** True if the body is to run again. */
    static <T extends @Nullable Object> boolean end(FiberImpl<T> fiber, Outcome<T> raw) {
        if (fiber.rawState() == FiberImpl.DEAD) {
            return false; // abandoned while it ran, on a stack that could not be left
        }
        fiber.mend();
        unpin(raw);
        if (fiber.openWaiter != null) {
            Abandonment.settle(fiber);
        }
        fiber.setEnding(true);
        Cancellation.shield(fiber);
        fiber.abandonedFor = null; // it ends by itself after all
        Throwable pending = Cancellation.takePending(fiber);
        Outcome<T> end = PendingRules.withPending(atEdge(fiber, raw, pending), pending);
        if (!Family.hasNobodyBelow(fiber)) {
            end = endChildren(fiber, end);
        }
        if (fiber.handler != null) {
            end = cleanUp(fiber, fiber.handler, end);
        }
        if (end instanceof Outcome.Failure<T>(Unwind.Restart restart)) {
            beginAgain(fiber, restart);
            return true;
        }
        finish(fiber, FiberImpl.RUNNING, end);
        return false;
    }

    /** For the fibers that this stack runs after it. */
    private static void unpin(Outcome<?> raw) {
        if (raw instanceof Outcome.Failure<?>(Throwable thrown)
                && (thrown instanceof StackOverflowError
                        || thrown instanceof StackPinnedException)) {
            Stacks.unpin();
        }
    }

    private static <T extends @Nullable Object> Outcome<T> cleanUp(
            FiberImpl<T> fiber, Handler ended, Outcome<T> raw) {
        Outcome<T> end = raw;
        try {
            ended.cleanUp(fiber, raw.failure(fiber));
        } catch (Throwable broken) {
            end = PendingRules.withCleanUpFailure(raw, broken);
        }
        return Family.hasNobodyBelow(fiber) ? end : endChildren(fiber, end);
    }

    /**
     * The cause of the exception that left the body: the origin of a raise, or the signal for which
     * a call of the JDK was ended.
     */
    private static <T extends @Nullable Object> Outcome<T> atEdge(
            FiberImpl<T> fiber, Outcome<T> raw, @Nullable Throwable pending) {
        if (!(raw instanceof Outcome.Failure<T>(Throwable thrown))) {
            return raw;
        }
        if (pending instanceof Unwind signal && fiber.isInterruptFor(signal, thrown)) {
            return new Outcome.Failure<>(signal);
        }
        return new Outcome.Failure<>(Unwind.atEdge(thrown, fiber));
    }

    /**
     * A failure that the restart hid is told at once, because there is no outcome that could carry
     * it.
     */
    private static void beginAgain(FiberImpl<?> fiber, Unwind.Restart restart) {
        for (Throwable hidden : restart.failures()) {
            fiber.cord.reportUncaught(fiber, hidden);
        }
        restart.over();
        if (fiber.held != null) {
            Held.giveBackAll(fiber);
        }
        fiber.locals = LocalValues.begunWith(fiber.locals);
        if (fiber.cord.loop.hooks != null) {
            fiber.cord.loop.hooks.show(fiber);
        }
        fiber.forgetInstantValue();
        fiber.setEnding(false);
        Cancellation.unshield(fiber);
    }

    /** Terminates the fibers below, awaits them within the limit, and abandons the rest. */
    static <T extends @Nullable Object> Outcome<T> endChildren(FiberImpl<T> fiber, Outcome<T> raw) {
        if (fiber.handler != null) {
            fiber.handler.endsChildren(fiber);
        }
        for (FiberImpl<?> child = fiber.firstChild(); child != null; child = child.nextSibling) {
            Family.terminateBelow(child, fiber);
        }
        fiber.cord.roster.terminateForeignChildrenOf(fiber);
        long limitNs = fiber.cord.stopLimitNs();
        long startNs = fiber.cord.nanoTime();
        Object result = null;
        while (!Family.hasNobodyBelow(fiber)) {
            if (result == Waits.TIMED_OUT) {
                String why = "its limit of " + limitNs / 1_000_000 + " ms for ending ran out";
                Abandonment.abandonAll(Family.childList(fiber), why);
                fiber.cord.roster.abandonForeignChildrenOf(fiber, why);
                break;
            }
            long leftNs =
                    limitNs == Long.MAX_VALUE
                            ? limitNs
                            : Math.max(0, limitNs - (fiber.cord.nanoTime() - startNs));
            try {
                result = fiber.parkFor(WaitKind.LIBRARY, "the end of its children", leftNs);
            } catch (StackPinnedException pinned) {
                if (!Stacks.unpin()) { // its body caught that the stack was full
                    throw pinned;
                }
            }
        }
        Throwable failure = Cancellation.takePending(fiber);
        return failure == null ? raw : PendingRules.withCleanUpFailure(raw, failure);
    }

    static <T extends @Nullable Object> void finish(FiberImpl<T> fiber, int from, Outcome<T> end) {
        boolean taken = publish(fiber, from, end);
        FiberFailedException untaken = taken ? null : untakenFailure(fiber, end);
        if (end instanceof Outcome.Stopped<T>(Unwind.Stop signal, T _)) {
            reportCleanUp(
                    fiber, signal, "was stopped"); // an awaiter is not told, it gets the result
        }
        FiberImpl<?> toTell = fiber.parentOrNull();
        if (toTell != null) {
            tellParent(fiber, toTell, untaken);
        } else if (taken) {
            fiber.cord.noteTaken(fiber);
        }
    }

    static void tellParent(
            FiberImpl<?> fiber, FiberImpl<?> toTell, @Nullable FiberFailedException untaken) {
        if (toTell.cord == fiber.cord && toTell.rawState() != FiberImpl.SPUN) {
            Family.childEnded(toTell, fiber, untaken);
        } else {
            toTell.send(FiberMessages.childEnded(toTell, fiber, untaken));
        }
    }

    private static <T extends @Nullable Object> @Nullable FiberFailedException untakenFailure(
            FiberImpl<T> fiber, Outcome<T> end) {
        if (end instanceof Outcome.Terminated<T>(Unwind.Terminate signal)) {
            reportCleanUp(fiber, signal, "was terminated");
        }
        return end.untaken(fiber);
    }

    /** A failure while the fiber was being ended is no outcome, but it is told. */
    private static void reportCleanUp(FiberImpl<?> fiber, Unwind.End signal, String how) {
        List<Throwable> failures = signal.failures();
        if (!failures.isEmpty()) {
            FiberFailedException told =
                    new FiberFailedException(
                            fiber,
                            fiber + " " + how + ", and its clean-up failed",
                            failures.getFirst());
            failures.stream().skip(1).forEach(told::addSuppressed);
            fiber.cord.reportUncaught(fiber, told);
        }
    }

    /** Makes the outcome known; true if it was taken. */
    static <T extends @Nullable Object> boolean publish(
            FiberImpl<T> fiber, int from, Outcome<T> end) {
        fiber.state(from, FiberImpl.DEAD);
        if (from == FiberImpl.RUNNING) {
            fiber.cord.loop.clearRunning();
        }
        if (from != FiberImpl.SPUN) {
            fiber.cord.roster.countEnded(from != FiberImpl.UNSTARTED);
        }
        if (FiberTimes.ON) {
            fiber.cord.loop.times().forget(fiber);
        }
        Handler ended = fiber.handler;
        fiber.handler = null;
        fiber.locals = null;
        fiber.dropStack();
        ScopeNode.dropAll(fiber);
        FiberImpl.OUTCOME.setRelease(fiber, end);
        if (fiber.held != null) {
            VarHandle.fullFence();
            Held.giveBackAll(fiber);
        }
        boolean taken = false;
        EndListener toTell = fiber.listener;
        if (toTell != null) {
            fiber.listener = null;
            taken = toTell.ended(fiber);
        }
        taken |= ended != null && tellHandler(fiber, ended, end);
        if (FiberTraces.ON) {
            FiberTraces.ended(fiber);
        }
        if (fiber.isForeignChild()) {
            fiber.cord.roster.removeForeignChild(fiber); // last: from now on the cord may end
        }
        if (fiber.taskSlot != null) {
            fiber.taskSlot.ended(fiber);
        }
        return taken;
    }

    private static <T extends @Nullable Object> boolean tellHandler(
            FiberImpl<T> fiber, Handler ended, Outcome<T> end) {
        VarHandle.fullFence();
        try {
            return ended.onEnd(fiber, end.failure(fiber));
        } catch (Throwable broken) {
            fiber.cord.reportUncaught(fiber, broken);
            return false;
        }
    }

    /** Its cord has ended, or has no place for it; on the thread that finds that out. */
    public static <T extends @Nullable Object> void refuseStart(
            FiberImpl<T> fiber, RuntimeException why) {
        Throwable pending =
                fiber.taskSlot == null
                        ? null
                        : Cancellation.takePending(fiber); // it was ended before
        Throwable failure = pending == null ? why : pending;
        Outcome<T> end = PendingRules.withPending(new Outcome.Failure<>(failure), null);
        FiberFailedException untaken =
                publish(fiber, fiber.rawState(), end) ? null : untakenFailure(fiber, end);
        Children given = Family.childList(fiber); // to this fiber before the start
        for (FiberImpl<?> child = given.poll(); child != null; child = given.poll()) {
            child.terminate();
            child.detach();
        }
        FiberImpl<?> toTell = fiber.parentOrNull();
        if (toTell != null && (toTell.cord != fiber.cord || fiber.taskSlot != null)) {
            toTell.send(FiberMessages.childEnded(toTell, fiber, untaken));
        } else if (untaken != null) {
            fiber.cord.reportUntaken(fiber, untaken);
        }
    }
}
