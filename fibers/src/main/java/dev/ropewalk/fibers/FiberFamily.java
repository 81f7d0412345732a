package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The part of a fiber that has a parent and children (rule F7).
 *
 * <p>A list of children belongs to the parent's cord, and so do the links in the children and what
 * the parent notes about them. Which parent a fiber has belongs to the fiber's own cord.
 *
 * <p>Everything without a note is confined to this fiber's cord.
 */
abstract sealed class FiberFamily extends FiberCore permits FiberLife {
    /** Held for the few steps in which a fiber changes its parent, so that no circle closes. */
    private static final ReentrantLock MOVES = new ReentrantLock();

    /** Written on this fiber's cord only, by {@link #attachHere}. */
    private @Nullable Fiber<?> parent;

    /** From the end of the body on: the fiber waits for its children. */
    private boolean ending;

    /** Children that fail are reported, and do not cancel this fiber. */
    private boolean isolatesChildren;

    /** Null until it has one; of this cord. */
    private @Nullable Children children;

    /** The scope that keeps this fiber, if it is not its parent alone; of the parent's cord. */
    @Nullable Scope<?> memberOf;

    boolean keepsScopeOpen;

    /** The list of children that this fiber is in, and its links there; of that parent's cord. */
    @Nullable Children isIn;

    @Nullable Fiber<?> previousSibling;
    @Nullable Fiber<?> nextSibling;

    /** On its way from one parent's list to another's. */
    private boolean isMoving;

    /** Where it is to go then. */
    private @Nullable Fiber<?> moveOnTo;

    /** Its parent is on another cord; then this fiber's own cord keeps it too, at this place. */
    int foreignIndex = ForeignChildren.NOWHERE;

    /** The parent awaits this fiber and takes its outcome; of the parent's cord. */
    boolean isAwaitedByParent;

    /** Its failure was held back because the parent awaits it; of the parent's cord. */
    boolean isNewsHeldBack;

    /** The parent has taken its outcome, so later news of it is none; of the parent's cord. */
    boolean isTakenByParent;

    FiberFamily(Cord cord, @Nullable Fiber<?> parent) {
        super(cord);
        this.parent = parent;
    }

    FiberFamily(TaskSlot slot, @Nullable Fiber<?> parent) {
        super(slot);
        this.parent = parent;
    }

    final boolean isForeignChild() {
        return foreignIndex != ForeignChildren.NOWHERE;
    }

    /** Of a task that no fiber spun, by its cord. */
    final void setParentOfOwnerless(Fiber<?> root) {
        parent = root;
    }

    final @Nullable Fiber<?> parentOrNull() {
        return parent;
    }

    // ---------------------------------------------------------------- children

    Children childList() {
        Children all = children;
        if (all == null) {
            all = new Children(this);
            children = all;
        }
        return all;
    }

    @Nullable Fiber<?> firstChild() {
        return children == null ? null : children.first();
    }

    /** Enters a new child of the same cord and queues it: first what may fail, then the rest. */
    <C extends @Nullable Object> Fiber<C> adopt(Fiber<C> child) {
        if (cord.roster.isFull()) {
            throw cord.roster.tooMany(child);
        }
        Children all = childList();
        cord.loop.enqueue(child, Handler.START);
        all.add(child);
        child.enter();
        return child;
    }

    /**
     * Of all below it on this cord, which never run again: it gives back what they hold there, and
     * needs no memory itself: no text either, because a literal is made when it is first met.
     */
    final void dropStacksBelow() {
        Fiber<?> each = firstChild();
        while (each != null) {
            boolean isOurs = each.cord == cord;
            if (isOurs) {
                each.dropStack();
            }
            Fiber<?> next = isOurs ? each.firstChild() : null;
            FiberFamily up = each;
            while (next == null && up != this) {
                Children in = up.isIn;
                if (in == null) {
                    return; // it is in that list, so this cannot be
                }
                next = up.nextSibling;
                up = in.parent;
            }
            each = next;
        }
    }

    final boolean hasNobodyBelow() {
        return (children == null || children.isEmpty())
                && !cord.roster.hasForeignChildrenOf(self());
    }

    void isolateChildren() {
        isolatesChildren = true;
    }

    boolean isEnding() {
        return ending;
    }

    /** From now on it ends as soon as nobody is below it; false again for a restart. */
    final void setEnding(boolean on) {
        ending = on;
    }

    /** Its parent ends; no effect if it has another one by the time it hears of that. */
    void terminateBelow(Fiber<?> endingParent) {
        if (isEnteredHere()) {
            terminateBelowHere(endingParent);
        } else {
            sendNow(FiberMessages.quiet(() -> terminateBelowHere(endingParent)));
        }
    }

    private void terminateBelowHere(Fiber<?> endingParent) {
        if (parent == endingParent) {
            raiseHere(new Unwind.Terminate("terminate was called on " + this));
        }
    }

    /** On this fiber's cord: a child is over; {@code untaken} is its failure if nobody took it. */
    void childEnded(Fiber<?> child, @Nullable FiberFailedException untaken) {
        boolean wasHere = childList().remove(child);
        Scope<?> scope = wasHere ? child.memberOf : null;
        boolean holdBack = untaken != null && child.isAwaitedByParent;
        FiberFailedException failure = holdBack ? null : untaken;
        if (scope != null && rawState() != DEAD) {
            scope.ended(child, failure);
        } else if (failure != null) {
            childFailed(child, failure);
        }
        if (holdBack && !child.isTakenByParent) {
            child.isNewsHeldBack = true;
            child.memberOf = scope;
        }
        wakeIfAlone();
    }

    private void childFailed(Fiber<?> child, FiberFailedException failure) {
        if (rawState() == DEAD || isolatesChildren || isNobodys(child)) {
            cord.reportUntaken(child, failure);
        } else {
            raiseHere(new Unwind.ChildFailed(failure));
        }
    }

    /** A task that nobody has taken as a child of his own. */
    private boolean isNobodys(Fiber<?> child) {
        return child.taskSlot == null
                ? child.body() instanceof CordTask && child.cord.root() == this
                : child.taskSlot.isOwnerless;
    }

    /** On this fiber's cord: it has taken the child's outcome, or does not await it any more. */
    void stopAwaiting(Fiber<?> child, boolean tookOutcome) {
        child.isTakenByParent |= tookOutcome;
        if (!child.isTakenByParent) {
            child.isAwaitedByParent = false;
        }
        if (!child.isNewsHeldBack) {
            return;
        }
        Scope<?> scope = child.memberOf;
        child.isNewsHeldBack = false;
        child.memberOf = null;
        Outcome<?> outcome = child.outcome();
        FiberFailedException untaken =
                tookOutcome || outcome == null ? null : outcome.untaken(child);
        if (untaken != null && scope != null) {
            scope.failedAfterAll(child, untaken);
        } else if (untaken != null) {
            childFailed(child, untaken);
        }
    }

    /** Ends the wait for the children once there are none. */
    void wakeIfAlone() {
        if (ending && isParked() && hasNobodyBelow()) {
            makeRunnable(null);
        }
    }

    // ---------------------------------------------------------------- another parent

    /*
     * A fiber changes its parent on its own cord, then the old parent's cord lets go of it, then the
     * new parent's cord takes it in, after that one's own start, and then it has arrived: one after
     * the other, for the links are those of one list at a time. Until then it is its cord's foreign child,
     * so the cord does not end without it, and another change waits. If it ends on the way, the new
     * parent hears of that and finds it in no list of its own; the old one's lets go of it later. If
     * the new parent has ended, the child is terminated and becomes its cord's root's.
     */
    void attachHere(Fiber<?> newParent) {
        Fiber<?> oldParent = parent;
        if (rawState() == DEAD || oldParent == null) {
            return;
        }
        if (isMoving) {
            moveOnTo = newParent;
        } else if (oldParent != newParent) {
            if (!moveBelow(newParent)) {
                cord.reportUncaught(self(), circle(newParent));
                return;
            }
            isMoving = true;
            if (taskSlot != null && newParent != cord.root()) {
                taskSlot.isOwnerless = false;
            }
            isAwaitedByParent = false;
            if (!newParent.isEnteredHere() && !isForeignChild()) {
                cord.roster.addForeignChild(self());
            }
            if (oldParent.cord == cord) {
                oldParent.letGo(self(), newParent);
            } else {
                oldParent.send(FiberMessages.letGo(oldParent, self(), newParent));
            }
        }
    }

    /**
     * Takes the new parent unless that closes a circle: two fibers of different cords may be given
     * to each other at the same time, and each check before that have found nothing.
     */
    private boolean moveBelow(Fiber<?> newParent) {
        MOVES.lock();
        try {
            boolean isFree = !self().isAbove(newParent);
            if (isFree) {
                parent = newParent;
            }
            return isFree;
        } finally {
            MOVES.unlock();
        }
    }

    /** Whether the other one is this fiber or below it. */
    final boolean isAbove(Fiber<?> other) {
        Fiber<?> each = other;
        while (each != null && each != this) {
            each = each.parentOrNull();
        }
        return each != null;
    }

    final IllegalArgumentException circle(Fiber<?> newParent) {
        return new IllegalArgumentException(
                "newParent=" + newParent + " is " + this + " or one below it");
    }

    /** Also of a task whose parent is the root: from now on it belongs to nobody. */
    final void detachHere() {
        attachHere(cord.root());
        if (taskSlot != null) {
            taskSlot.isOwnerless = true;
        }
    }

    /** On this fiber's cord. */
    void letGo(Fiber<?> child, Fiber<?> newParent) {
        Scope<?> scope = child.memberOf;
        if (childList().remove(child) && scope != null) {
            scope.forget(child);
        }
        wakeIfAlone();
        if (newParent.isEnteredHere()) {
            newParent.takeIn(child);
        } else {
            newParent.sendNow(FiberMessages.takeIn(newParent, child));
        }
    }

    /** On this fiber's cord. */
    void takeIn(Fiber<?> child) {
        if (child.outcome() != null) {
            return;
        }
        if (ending || rawState() == DEAD) {
            child.terminate();
        }
        if (rawState() == DEAD) {
            child.detach(); // so that somebody waits for its clean-up
        } else {
            childList().add(child);
        }
        child.arrive();
    }

    /** From the cord of its new parent. */
    void arrive() {
        if (isHere()) {
            arriveHere();
        } else {
            send(FiberMessages.quiet(this::arriveHere));
        }
    }

    final void arriveHere() {
        isMoving = false;
        Fiber<?> next = moveOnTo;
        moveOnTo = null;
        if (rawState() == DEAD) {
            return;
        }
        if (next != null) {
            attachHere(next);
        }
        if (!isMoving && isForeignChild() && parent != null && parent.cord == cord) {
            cord.roster.removeForeignChild(self());
        }
    }
}
