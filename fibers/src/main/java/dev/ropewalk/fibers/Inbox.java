package dev.ropewalk.fibers;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cord's many-producers queue of messages from other threads (rule F8).
 *
 * <p>After {@link #close} nothing is left behind: a message that came too late is told so, either
 * by the closing cord or by its own sender, whoever sees it.
 */
final class Inbox {
    private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

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

    /** On the cord: runs up to {@code limit} messages; the others wait for the next look. */
    void drain(int limit) {
        for (int i = 0; i < limit; i++) {
            CordMessage message = queue.poll();
            if (message == null) {
                return;
            }
            try {
                message.onCord();
            } catch (Throwable broken) {
                LOG.error("a message to a cord failed: {}", message, broken);
            }
        }
    }

    void close() {
        closed = true;
        refuseAll();
    }

    private void refuseAll() {
        for (CordMessage message = next(); message != null; message = next()) {
            try {
                message.onClosed();
            } catch (Throwable broken) {
                LOG.error("a message to a cord that has ended failed: {}", message, broken);
            }
        }
    }

    /** The cord has left, so late senders take turns as the queue's one consumer. */
    private synchronized @Nullable CordMessage next() {
        for (; ; ) {
            CordMessage message = queue.poll();
            if (message != null || queue.isEmpty()) {
                return message;
            }
            // A sender has taken its place and not linked its message yet: a few instructions.
            Thread.onSpinWait();
        }
    }
}
