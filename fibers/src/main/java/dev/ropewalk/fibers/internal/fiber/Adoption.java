package dev.ropewalk.fibers.internal.fiber;

import java.util.concurrent.locks.ReentrantLock;

/**
 * How a fiber changes its parent (rule F7).
 *
 * <p>The link to a fiber's parent belongs to the fiber's own cord. Methods without a note run
 * there.
 */
final class Adoption {
    /** Held for the few steps in which a fiber changes its parent, so that no circle closes. */
    private static final ReentrantLock MOVES = new ReentrantLock();

    private Adoption() {}

    /*
     * A fiber changes its parent on its own cord, then the old parent's cord lets go of it, then
     * the new parent's cord takes it in, after that one's own start, and then it has arrived: one
     * after the other, because a fiber has links for one list at a time. Until then it is its
     * cord's foreign child, so the cord does not end without it, and another change waits. If it
     * ends on the way, the new parent is told and finds it in no list of its own; the old parent
     * lets go of it later. If the new parent has ended, the child is terminated and becomes a child
     * of its cord's root.
     */
    static void attachHere(FiberImpl<?> fiber, FiberImpl<?> newParent) {
        FiberImpl<?> oldParent = fiber.parent;
        if (fiber.rawState() == FiberImpl.DEAD || oldParent == null) {
            return;
        }
        if (fiber.isMoving) {
            fiber.moveOnTo = newParent;
        } else if (oldParent != newParent) {
            if (!moveBelow(fiber, newParent)) {
                fiber.cord.reportUncaught(fiber, circle(fiber, newParent));
                return;
            }
            fiber.isMoving = true;
            if (fiber.taskSlot != null && newParent != fiber.cord.root()) {
                fiber.taskSlot.setOwnerless(false);
            }
            fiber.isAwaitedByParent = false;
            if (!newParent.isEnteredHere() && !fiber.isForeignChild()) {
                fiber.cord.roster.addForeignChild(fiber);
            }
            if (oldParent.cord == fiber.cord) {
                letGo(oldParent, fiber, newParent);
            } else {
                oldParent.send(FiberMessages.letGo(oldParent, fiber, newParent));
            }
        }
    }

    /**
     * Takes the new parent unless that closes a circle. It has to look again, because two fibers of
     * different cords may be given to each other at the same time, and each check before that finds
     * nothing.
     */
    private static boolean moveBelow(FiberImpl<?> fiber, FiberImpl<?> newParent) {
        MOVES.lock();
        try {
            boolean isFree = !isAbove(fiber, newParent);
            if (isFree) {
                fiber.parent = newParent;
            }
            return isFree;
        } finally {
            MOVES.unlock();
        }
    }

    /** Whether the other one is this fiber or below it. */
    static boolean isAbove(FiberImpl<?> fiber, FiberImpl<?> other) {
        FiberImpl<?> each = other;
        while (each != null && each != fiber) {
            each = each.parentOrNull();
        }
        return each != null;
    }

    static IllegalArgumentException circle(FiberImpl<?> fiber, FiberImpl<?> newParent) {
        return new IllegalArgumentException(
                "newParent=" + newParent + " is " + fiber + " or one below it");
    }

    /** Also of a task whose parent is the root: from now on it has no parent. */
    static void detachHere(FiberImpl<?> fiber) {
        attachHere(fiber, fiber.cord.root());
        if (fiber.taskSlot != null) {
            fiber.taskSlot.setOwnerless(true);
        }
    }

    /** On this fiber's cord. */
    static void letGo(FiberImpl<?> fiber, FiberImpl<?> child, FiberImpl<?> newParent) {
        ScopeMembers scope = child.memberOf;
        if (Family.childList(fiber).remove(child) && scope != null) {
            scope.forget(child);
        }
        Family.wakeIfAlone(fiber);
        if (newParent.isEnteredHere()) {
            takeIn(newParent, child);
        } else {
            newParent.sendNow(FiberMessages.takeIn(newParent, child));
        }
    }

    /** On this fiber's cord. */
    static void takeIn(FiberImpl<?> fiber, FiberImpl<?> child) {
        if (child.outcome() != null) {
            return;
        }
        if (fiber.ending || fiber.rawState() == FiberImpl.DEAD) {
            child.terminate();
        }
        if (fiber.rawState() == FiberImpl.DEAD) {
            child.detach(); // so that a parent waits for its clean-up
        } else {
            Family.childList(fiber).add(child);
        }
        arrive(child);
    }

    /** From the cord of its new parent. */
    static void arrive(FiberImpl<?> fiber) {
        if (fiber.isHere()) {
            arriveHere(fiber);
        } else {
            fiber.send(FiberMessages.quiet(() -> arriveHere(fiber)));
        }
    }

    static void arriveHere(FiberImpl<?> fiber) {
        fiber.isMoving = false;
        FiberImpl<?> next = fiber.moveOnTo;
        fiber.moveOnTo = null;
        if (fiber.rawState() == FiberImpl.DEAD) {
            return;
        }
        if (next != null) {
            attachHere(fiber, next);
        }
        if (!fiber.isMoving
                && fiber.isForeignChild()
                && fiber.parent != null
                && fiber.parent.cord == fiber.cord) {
            fiber.cord.roster.removeForeignChild(fiber);
        }
    }
}
