package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The end of a cord, and its waiters; for any thread (rule F8).
 *
 * <p>A waiter enters itself and then reads whether the cord is over. The cord says that it is over
 * and then tells the waiters. So one of the two sees the other.
 */
public final class CordEnd {
    private final Queue<WaitCell> waiters = new ConcurrentLinkedQueue<>();
    private volatile boolean isOver;

    /** By the cord's thread, as the last thing that it does as the cord. */
    void tell() {
        isOver = true;
        for (WaitCell waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) {
            waiter.give(null);
        }
    }

    /** False if the limit passed first; {@code Long.MAX_VALUE} is none. A switchpoint. */
    public boolean await(String reason, long limitNanos) {
        if (isOver) {
            return true;
        }
        WaitCell waiter = new WaitCell();
        waiters.add(waiter);
        boolean told = isOver;
        try {
            told = told || waiter.await(reason, limitNanos) != Waits.TIMED_OUT;
        } finally {
            if (!told) {
                waiters.remove(waiter);
            }
        }
        return told;
    }

    /** How many wait, for tests. */
    int waiting() {
        return waiters.size();
    }
}
