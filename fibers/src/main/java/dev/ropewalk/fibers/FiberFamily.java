package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * The part of a fiber that has a parent and children (rule F7).
 *
 * <p>A list of children belongs to the parent's cord, and so do the links in the children and what
 * the parent notes about them. Which parent a fiber has belongs to the fiber's own cord.
 *
 * <p>Everything without a note is confined to this fiber's cord.
 */
abstract sealed class FiberFamily extends FiberCore permits FiberLife {
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

    /** The links of the parent's list, and whether this fiber is in it; of the parent's cord. */
    @Nullable Fiber<?> previousSibling;

    @Nullable Fiber<?> nextSibling;
    boolean isEntered;

    /** Its parent is on another cord; then this fiber's own cord keeps it too. */
    boolean isGuest;

    /** The parent awaits this fiber and takes its outcome; of the parent's cord. */
    boolean isAwaitedByParent;

    FiberFamily(Cord cord, @Nullable Fiber<?> parent) {
        super(cord);
        this.parent = parent;
    }

    final @Nullable Fiber<?> parentOrNull() {
        return parent;
    }

    // ---------------------------------------------------------------- children

    Children children() {
        Children all = children;
        if (all == null) {
            all = new Children();
            children = all;
        }
        return all;
    }

    @Nullable Fiber<?> firstChild() {
        return children == null ? null : children.first();
    }

    /** Enters a new child of the same cord and queues it. */
    <C extends @Nullable Object> Fiber<C> adopt(Fiber<C> child) {
        children().add(child);
        cord.enqueue(child, Handler.START);
        return child;
    }

    final boolean hasNobodyBelow() {
        return (children == null || children.isEmpty()) && !cord.hasGuestsOf(self());
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
        if (!cord.isCurrent()) {
            cord.send(FiberMessages.quiet(() -> terminateBelow(endingParent)));
        } else if (parent == endingParent) {
            self().terminate();
        }
    }

    /** On this fiber's cord: a child is over; {@code untaken} is its failure if nobody took it. */
    void childEnded(Fiber<?> child, @Nullable FiberFailedException untaken) {
        children().remove(child);
        Scope<?> scope = child.memberOf;
        FiberFailedException failure = child.isAwaitedByParent ? null : untaken;
        if (scope != null && rawState() != DEAD) {
            scope.ended(child, failure);
        } else if (failure != null) {
            if (rawState() == DEAD || isolatesChildren) {
                cord.reportUntaken(child, failure);
            } else {
                raiseHere(new Signal.ChildFailed(failure));
            }
        }
        wakeIfAlone();
    }

    /** Ends the wait for the children once there are none. */
    void wakeIfAlone() {
        if (ending && rawState() == WAITING && hasNobodyBelow()) {
            makeRunnable(null);
        }
    }

    // ---------------------------------------------------------------- another parent

    /*
     * A fiber changes its parent on its own cord, then the old parent's cord lets go of it, and
     * then the new parent's cord takes it in: one after the other, for the links are those of one
     * list at a time. If it ends on the way, the new parent hears of that before or after it has
     * taken in a dead child, and both are harmless. If the new parent ends on the way, the child is
     * terminated as if it had been there.
     */
    void attachHere(Fiber<?> newParent) {
        Fiber<?> oldParent = parent;
        if (rawState() == DEAD || oldParent == null || oldParent == newParent) {
            return;
        }
        parent = newParent;
        boolean toBeGuest = newParent.cord != cord;
        if (toBeGuest && !isGuest) {
            cord.addGuest(self());
        } else if (!toBeGuest && isGuest) {
            cord.removeGuest(self());
        }
        if (oldParent.cord == cord) {
            oldParent.letGo(self(), newParent);
        } else {
            oldParent.cord.send(FiberMessages.letGo(oldParent, self(), newParent));
        }
    }

    /** On this fiber's cord. */
    void letGo(Fiber<?> child, Fiber<?> newParent) {
        children().remove(child);
        child.isAwaitedByParent = false;
        Scope<?> scope = child.memberOf;
        if (scope != null) {
            scope.forget(child);
        }
        wakeIfAlone();
        if (newParent.cord == cord) {
            newParent.takeIn(child);
        } else {
            newParent.cord.send(FiberMessages.takeIn(newParent, child));
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
            children().add(child);
        }
    }
}
