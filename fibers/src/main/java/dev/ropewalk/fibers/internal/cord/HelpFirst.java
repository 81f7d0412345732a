package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

/**
 * The order of children that have not begun while their parents await them (rule F1): they go
 * first, and then their parents.
 *
 * <p>Confined to the cord's thread.
 */
public final class HelpFirst {
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

    private final FiberLoop loop;
    private final boolean isForbidden;

    /** Parents and what they await, in turn; null until there were some. */
    private @Nullable FiberImpl<?> @Nullable [] chain;

    /** Parents in the chain. Read for each switch. */
    int depth;

    HelpFirst(FiberLoop loop, boolean isForbidden) {
        this.loop = loop;
        this.isForbidden = isForbidden;
    }

    /**
     * The running fiber is about to await the child, or several of its children, of which this is
     * one. True if {@link #end} must be called when the wait is over.
     */
    public boolean begin(FiberImpl<?> parent, @Nullable FiberImpl<?> child) {
        if (isForbidden
                || child == null
                || depth == MAX_DEPTH
                || loop.marked
                || !child.isClaimedFor(parent)) {
            return false;
        }
        if (chain == null) {
            chain = new @Nullable FiberImpl<?>[2 * MAX_DEPTH];
        }
        chain[2 * depth] = parent;
        chain[2 * depth + 1] = child;
        depth++;
        return true;
    }

    public void end(FiberImpl<?> parent) {
        if (depth > 0 && chain != null && chain[2 * depth - 2] == parent) {
            drop(chain);
        }
    }

    private void drop(@Nullable FiberImpl<?>[] from) {
        depth--;
        from[2 * depth] = null;
        from[2 * depth + 1] = null;
    }

    /**
     * Brings the entry that goes first to the head of the run queue, if there is one; the same one
     * again until it has begun to run.
     */
    void bringNext() {
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

    private boolean bringChild(FiberImpl<?> parent, @Nullable FiberImpl<?> child) {
        return child != null && child.isClaimedFor(parent) && loop.runQueue.bringFromTail(child);
    }

    void clear() {
        while (depth > 0 && chain != null) {
            drop(chain);
        }
    }

    void checkInvariants() {
        for (int i = 0; chain != null && i < 2 * MAX_DEPTH; i++) {
            if ((chain[i] != null) != (i < 2 * depth)) {
                throw new IllegalStateException("chain[" + i + "]=" + chain[i] + " depth=" + depth);
            }
        }
    }
}
