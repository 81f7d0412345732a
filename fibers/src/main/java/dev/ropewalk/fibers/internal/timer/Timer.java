package dev.ropewalk.fibers.internal.timer;

import org.jspecify.annotations.Nullable;

/**
 * One armed deadline; a link of the cord's {@link Timers}.
 *
 * <pre>
 *   queued, with what it is for         armed
 *   queued, with nothing                cancelled, and not yet swept out
 *   not queued, with what it is for     due: it is fired next, with others that are due
 *   not queued, with nothing            over
 * </pre>
 */
public abstract class Timer {
    public final long deadlineNs;

    /** Its place among timers of the same deadline; given when it is armed. */
    public long sequence;

    /** The next one of its lane, which is not earlier; null while it is not queued. */
    @Nullable Timer next;

    /** It is in the heap, or in the chain behind one that is. */
    boolean isQueued;

    public Timer(long deadlineNs) {
        this.deadlineNs = deadlineNs;
    }

    /** It is over; drops its references, so that a dead entry holds nothing. */
    public abstract void markCancelled();

    public abstract boolean isCancelled();

    /** Its kind, in a word, for a report. */
    public abstract String kind();

    /** The fiber or the code that is told, for a report; null if it is over. */
    public abstract @Nullable Object owner();

    /** The action if its cord ends before, or null. */
    @Nullable Runnable whenLeft() {
        return null;
    }

    /**
     * Its deadline has passed; it is not queued any more. It is over when this returns; if it fails
     * for want of stack or memory before, it is called again.
     */
    public abstract void fire();
}
