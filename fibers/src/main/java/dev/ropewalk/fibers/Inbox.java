package dev.ropewalk.fibers;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * The cord's many-producers queue of messages from other threads (rule F8).
 *
 * <p>After {@link #close} nothing is left behind: a message that came too late is told so, either
 * by the closing cord or by its own sender, whoever sees it.
 */
final class Inbox {
    private final ManyToOneConcurrentLinkedQueue<CordMessage> queue =
            new ManyToOneConcurrentLinkedQueue<>();
    private volatile boolean closed;

    /** From any thread. The caller wakes the cord. */
    void add(CordMessage message) {
        queue.offer(message);
        if (closed) {
            refuseAll();
        }
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    boolean isClosed() {
        return closed;
    }

    /** On the cord: runs what was there at the call; what comes meanwhile waits for the next look. */
    void drain(int limit) {
        for (int i = 0; i < limit; i++) {
            CordMessage message = queue.poll();
            if (message == null) {
                return;
            }
            message.onCord();
        }
    }

    void close() {
        closed = true;
        refuseAll();
    }

    /** The cord has left, so late senders take turns as the queue's one consumer. */
    private synchronized void refuseAll() {
        for (CordMessage message = queue.poll(); message != null; message = queue.poll()) {
            message.onClosed();
        }
    }
}
