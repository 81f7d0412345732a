package dev.ropewalk.fibers;

/**
 * Something that another thread wants done on a cord, sent by {@link Cord#post}.
 *
 * <p>Messages of one sender run in the order in which they were posted.
 */
public abstract class CordMessage {
    /** For subclasses. */
    protected CordMessage() {}

    /**
     * Runs on the cord's thread, between two fibers. It must be short and must not throw; a
     * switchpoint inside it is an error, while schedule, tell and trySend are allowed.
     */
    public abstract void onCord();

    /**
     * Runs instead of {@link #onCord} when the cord has ended, on the thread that finds that out.
     * It must hand back or report what the message carries, must be short and must not wait: the
     * messages that are refused after it are told after it, one at a time and in order.
     */
    public abstract void onClosed();
}
