package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.cord.CordTask;

import org.jspecify.annotations.Nullable;

/**
 * A fiber as a parent: its children, and the news of their ends (rule F7).
 *
 * <p>A list of children belongs to the parent's cord, and so do the links in the children and the
 * parent's notes about them. So everything here runs on the parent's cord.
 */
public final class Family {
    private Family() {}

    public static Children childList(FiberImpl<?> fiber) {
        Children all = fiber.children;
        if (all == null) {
            all = new Children(fiber);
            fiber.children = all;
        }
        return all;
    }

    /** Enters a new child of the same cord and queues it: first what may fail, then the rest. */
    public static <C extends @Nullable Object> FiberImpl<C> adopt(
            FiberImpl<?> fiber, FiberImpl<C> child) {
        if (fiber.cord.roster.isFull()) {
            throw fiber.cord.roster.tooMany(child);
        }
        Children all = childList(fiber);
        fiber.cord.loop.enqueue(child, Handler.START);
        all.add(child);
        child.enter();
        return child;
    }

    /** Adopts a child that the fiber spins itself. */
    static <C extends @Nullable Object> FiberImpl<C> spin(FiberImpl<?> fiber, FiberImpl<C> child) {
        adopt(fiber, child);
        keepSpun(fiber, child);
        return child;
    }

    /** A block of the fiber that keeps its own fibers takes those that the fiber spins there. */
    public static void keepSpun(FiberImpl<?> spinner, FiberImpl<?> child) {
        ScopeMembers keeper = childList(spinner).keeper;
        if (keeper != null) {
            keeper.spun(child);
        }
    }

    public static boolean hasNobodyBelow(FiberImpl<?> fiber) {
        return (fiber.children == null || fiber.children.isEmpty())
                && !fiber.cord.roster.hasForeignChildrenOf(fiber);
    }

    /** Its parent ends; no effect if it has another parent by the time it is told. */
    public static void terminateBelow(FiberImpl<?> fiber, FiberImpl<?> endingParent) {
        if (fiber.isEnteredHere()) {
            terminateBelowHere(fiber, endingParent);
        } else {
            fiber.sendNow(FiberMessages.quiet(() -> terminateBelowHere(fiber, endingParent)));
        }
    }

    private static void terminateBelowHere(FiberImpl<?> fiber, FiberImpl<?> endingParent) {
        if (fiber.parent == endingParent) {
            fiber.raiseHere(new Unwind.Terminate("terminate was called on " + fiber));
        }
    }

    /** On this fiber's cord: a child is over; {@code untaken} is its failure if it had no taker. */
    public static void childEnded(
            FiberImpl<?> fiber, FiberImpl<?> child, @Nullable FiberFailedException untaken) {
        boolean wasHere = childList(fiber).remove(child);
        ScopeMembers scope = wasHere ? child.memberOf : null;
        boolean holdBack = untaken != null && child.isAwaitedByParent;
        FiberFailedException failure = holdBack ? null : untaken;
        if (scope != null && fiber.rawState() != FiberImpl.DEAD) {
            scope.ended(child, failure);
        } else if (failure != null) {
            childFailed(fiber, child, failure);
        }
        if (holdBack && !child.isTakenByParent) {
            child.isNewsHeldBack = true;
            child.memberOf = scope;
        }
        wakeIfAlone(fiber);
    }

    private static void childFailed(
            FiberImpl<?> fiber, FiberImpl<?> child, FiberFailedException failure) {
        if (fiber.rawState() == FiberImpl.DEAD
                || fiber.isolatesChildren
                || isNobodys(fiber, child)) {
            fiber.cord.reportUntaken(child, failure);
        } else {
            fiber.raiseHere(new Unwind.ChildFailed(failure));
        }
    }

    /** A task that was spun without a parent of its own. */
    private static boolean isNobodys(FiberImpl<?> fiber, FiberImpl<?> child) {
        return child.taskSlot == null
                ? child.body() instanceof CordTask && child.cord.root() == fiber
                : child.taskSlot.isOwnerless();
    }

    /** On this fiber's cord: it has taken the child's outcome, or does not await it any more. */
    static void stopAwaiting(FiberImpl<?> fiber, FiberImpl<?> child, boolean tookOutcome) {
        child.isTakenByParent |= tookOutcome;
        if (!child.isTakenByParent) {
            child.isAwaitedByParent = false;
        }
        if (!child.isNewsHeldBack) {
            return;
        }
        ScopeMembers scope = child.memberOf;
        child.isNewsHeldBack = false;
        child.memberOf = null;
        Outcome<?> outcome = child.outcome();
        FiberFailedException untaken =
                tookOutcome || outcome == null ? null : outcome.untaken(child);
        if (untaken != null && scope != null) {
            scope.failedAfterAll(child, untaken);
        } else if (untaken != null) {
            childFailed(fiber, child, untaken);
        }
    }

    /** Ends the wait for the children once all are gone. */
    public static void wakeIfAlone(FiberImpl<?> fiber) {
        if (fiber.ending && fiber.isParked() && hasNobodyBelow(fiber)) {
            fiber.makeRunnable(null);
        }
    }
}
