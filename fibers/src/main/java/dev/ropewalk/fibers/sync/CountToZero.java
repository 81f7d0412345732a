package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A count and its waiters, which wait until it is zero: the common part of {@link WaitGroup} and
 * {@link Latch}.
 */
final class CountToZero {
    private static final Object ZERO = new Object();

    private final Exclusion guard;

    /** The object that has the count, for errors and reports. */
    private final Object owner;

    private final WaitQueue<Object> queue = new WaitQueue<>();

    /** Written inside the guard only, and opaquely: no atomic instruction. */
    private final AtomicInteger count;

    /** All that was ever added, for errors; guarded. */
    private long added;

    CountToZero(Exclusion guard, Object owner, int count) {
        this.guard = guard;
        this.owner = owner;
        this.count = new AtomicInteger(count);
    }

    /** Only a hint, from any thread. */
    int hint() {
        return count.getOpaque();
    }

    long added() {
        guard.enter(owner);
        try {
            return added;
        } finally {
            guard.exit();
        }
    }

    boolean isLocal() {
        return guard.isLocal();
    }

    /**
     * Adds to the count, unless the sum is more than an int holds.
     *
     * @return the count before
     */
    int add(int n) {
        guard.enter(owner);
        try {
            int before = count.getPlain();
            if (n <= Integer.MAX_VALUE - before) {
                count.setOpaque(before + n);
                added += n;
            }
            return before;
        } finally {
            guard.exit();
        }
    }

    /**
     * Takes one off the count unless it is zero, and releases all waiters when it gets there.
     *
     * @return the count before
     */
    int countDown() {
        int before;
        List<WaitNode<Object>> released = List.of();
        guard.enter(owner);
        try {
            before = count.getPlain();
            if (before > 0) {
                count.setOpaque(before - 1);
            }
            if (before == 1) {
                released = queue.claimAll(ZERO);
            }
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(released);
        return before;
    }

    /** Waits until the count is zero, or was since the wait began; false if the limit passed. */
    boolean await(long limitNs) {
        WaitNode<Object> node;
        guard.enterAtSwitchpoint(owner);
        try {
            if (count.getPlain() == 0) {
                return true;
            }
            node = guard.node(null);
            queue.add(node);
        } finally {
            guard.exit();
        }
        return guard.await(node, owner, limitNs) == ZERO;
    }

    void checkInvariants() {
        guard.enter(owner);
        try {
            queue.checkInvariants();
            if (count.getPlain() < 0 || (count.getPlain() == 0 && !queue.isEmpty())) {
                throw new IllegalStateException(
                        "count=" + count + " while " + queue.size() + " wait for " + owner);
            }
        } finally {
            guard.exit();
        }
    }
}
