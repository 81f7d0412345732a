package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.TaskSlot;
import dev.ropewalk.fibers.internal.fiber.WaitKind;

import org.jspecify.annotations.Nullable;

/**
 * Which entry of the run queue is the next: the head, but children that have not begun go first
 * while their parents await them, and then their parents (rule F1); or one that is drawn (rule
 * F14).
 *
 * <p>Confined to the cord's thread.
 */
public final class RunOrder {
    /*
     * In the order of the queue a tree of forks and joins is walked level by level: every inner
     * node begins, spins its children, waits, and keeps a stack, before the first leaf is done.
     * Here it is walked depth first, so as many fibers wait as the tree is deep:
     *
     *   a parent awaits          it is put on the chain
     *   the next entry is drawn  the oldest child of the last of the chain, if it has not begun,
     *                            because it is likely to be awaited too; otherwise the awaited
     *                            one; otherwise that parent itself, if its wait is over
     *   none of these            that parent waits for something that others must do: the chain
     *                            is forgotten
     *   the wait is over         its fiber takes itself off the chain
     *   a poll                   the chain is forgotten
     *
     * So a fiber uses up to POLL_INTERVAL switches, or a tick, for its offspring, and then the
     * queue's order holds, in which all have kept their places. Only entries near the tail are
     * brought to the head, where a fiber's children stand when it awaits them at once.
     *
     * The order is all that changes: each fiber leaves its stack as it always does. Rejected:
     * running the child on top of the stack of its parent (decision 54). The order is not changed
     * where it is drawn, from a seed, or turn by turn, where the mark is always set.
     */

    /** Parents that are deeper are not followed. */
    private static final int MAX_DEPTH = 32;

    private final CordImpl cord;
    private final FiberLoop loop;

    /** Parents and what they await, in turn; null until there were some. */
    private @Nullable FiberImpl<?> @Nullable [] chain;

    /** Parents in the chain. */
    private int depth;

    RunOrder(CordImpl cord, FiberLoop loop) {
        this.cord = cord;
        this.loop = loop;
        if (cord.orderSeeded) {
            loop.runQueue.order = this;
        }
    }

    /** {@return the one of the fiber's cord} */
    public static RunOrder of(FiberImpl<?> fiber) {
        return fiber.cord.loop.order;
    }

    /** Waits as the running fiber, for several of its children. */
    public @Nullable Object park(FiberImpl<?> parent, Object reason) {
        boolean isFirst = begin(parent, parent.firstChild());
        try {
            return parent.park(WaitKind.LIBRARY, reason);
        } finally {
            if (isFirst) {
                end(parent);
            }
        }
    }

    /**
     * The running fiber is about to await the child, or several of its children, of which this is
     * one. True if {@link #end} must be called when the wait is over.
     */
    public boolean begin(FiberImpl<?> parent, @Nullable FiberImpl<?> child) {
        if (cord.orderSeeded
                || child == null
                || depth == MAX_DEPTH
                || loop.marked
                || !isClaimed(child, parent)) {
            return false;
        }
        if (chain == null) {
            chain = new @Nullable FiberImpl<?>[2 * MAX_DEPTH];
        }
        chain[2 * depth] = parent;
        chain[2 * depth + 1] = child;
        depth++;
        loop.runQueue.order = this;
        return true;
    }

    public void end(FiberImpl<?> parent) {
        if (depth > 0 && chain != null && chain[2 * depth - 2] == parent) {
            drop(chain);
        }
    }

    /** Others have their turn. */
    void clear() {
        while (depth > 0 && chain != null) {
            drop(chain);
        }
    }

    private void drop(@Nullable FiberImpl<?>[] from) {
        depth--;
        from[2 * depth] = null;
        from[2 * depth + 1] = null;
        if (depth == 0) {
            loop.runQueue.order = null;
        }
    }

    /**
     * Brings the entry that goes first to the head of the run queue, if there is one; of children
     * the same one again until it has begun to run.
     */
    void bringNext() {
        if (cord.orderSeeded) {
            drawNext();
            return;
        }
        FiberImpl<?> parent = chain == null ? null : chain[2 * depth - 2];
        if (parent == null || chain == null) {
            return;
        }
        loop.running = null; // messages to a task that is claimed are handled as no fiber
        if (!bringChild(parent, parent.firstChild())
                && !bringChild(parent, chain[2 * depth - 1])
                && !(parent.isQueued() && loop.runQueue.bringFromTail(parent))) {
            clear();
        }
    }

    private void drawNext() {
        int size = loop.runQueue.size();
        if (size > 1) {
            loop.runQueue.swapToHead(cord.platform.nextInt(size));
        }
    }

    private boolean bringChild(FiberImpl<?> parent, @Nullable FiberImpl<?> child) {
        return child != null && isClaimed(child, parent) && loop.runQueue.bringFromTail(child);
    }

    /**
     * Whether it is a child of the fiber, has not begun, and begins on this cord; a task that no
     * cord has claimed is claimed.
     */
    private static boolean isClaimed(FiberImpl<?> child, FiberImpl<?> parent) {
        if (child.parentOrNull() != parent) {
            return false;
        }
        if (child.rawState() == FiberImpl.UNSTARTED) {
            return child.cord == parent.cord;
        }
        TaskSlot task = child.cordOrNull() == null ? child.taskSlot : null;
        return task != null && child.rawState() == FiberImpl.SPUN && task.claimHere(child);
    }

    void checkInvariants() {
        for (int i = 0; chain != null && i < 2 * MAX_DEPTH; i++) {
            if ((chain[i] != null) != (i < 2 * depth)) {
                throw new IllegalStateException("chain[" + i + "]=" + chain[i] + " depth=" + depth);
            }
        }
        if ((loop.runQueue.order != null) != (depth > 0 || cord.orderSeeded)) {
            throw new IllegalStateException(
                    "hasOrder=" + (loop.runQueue.order != null) + " depth=" + depth);
        }
    }
}
