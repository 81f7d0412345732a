package dev.ropewalk.channels.flow;

import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * How many elements a subscriber has asked for and not been given, and the wait of the one fiber
 * that serves it. Asked for from any thread; given and awaited by that fiber.
 */
final class Demand {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final AtomicLong open = new AtomicLong();

    /** Of the fiber, while it waits or is about to. */
    private volatile @Nullable WaitCell waiter;

    /** Up to the largest number, which means no limit (rule 3.17). */
    void add(long n) {
        open.accumulateAndGet(n, (a, b) -> a + b < 0 ? NO_LIMIT : a + b);
        wake();
    }

    boolean isOpen() {
        return open.get() > 0;
    }

    void takeOne() {
        open.getAndUpdate(n -> n == NO_LIMIT ? n : n - 1);
    }

    /** Has the fiber check again. */
    void wake() {
        WaitCell cell = waiter;
        if (cell != null) {
            cell.give(null);
        }
    }

    /**
     * A switchpoint. Returns when there is demand, or soon after a {@link #wake}.
     *
     * @param isOver the other cause that ends the wait; the cell is published before it is asked,
     *     and a waker makes it true before it looks for the cell, so no wake-up falls in between
     */
    void await(Object reason, BooleanSupplier isOver) {
        WaitCell cell = new WaitCell();
        waiter = cell;
        try {
            if (!isOpen() && !isOver.getAsBoolean()) {
                cell.await(reason);
            }
        } finally {
            waiter = null;
        }
    }
}
