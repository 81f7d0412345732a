package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.JvmFlags;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The cord's many-producers queue of messages from other threads (rule F8): Agrona's, where the JDK
 * lets that have unsafe access, otherwise the JDK's own.
 *
 * <p>After {@link #close} nothing is left behind: a message that came too late is told so, either
 * by the closing cord or by a sender, the first that sees it: one after the other, in the order in
 * which they came.
 */
public final class Inbox {
    private static final Log LOG = Logs.logger(Inbox.class);

    /**
     * The messages that this thread is to refuse when it has released its lock; null if it holds no
     * lock.
     */
    private static final ThreadLocal<@Nullable Set<Inbox>> LATER = new ThreadLocal<>();

    private final Queue<CordMessage> queue =
            JvmFlags.hasAgrona()
                    ? new ManyToOneConcurrentLinkedQueue<>()
                    : new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    /** On the cord: the rest waits for the next poll. */
    private boolean isDrained;

    /**
     * How often threads have asked to refuse the messages since the thread that refuses them began.
     */
    private final AtomicInteger toRefuse = new AtomicInteger();

    /** From any thread. The caller wakes the cord. */
    void add(CordMessage message) {
        queue.offer(message);
        if (closed) {
            Set<Inbox> later = LATER.get();
            if (later == null) {
                refuseAsNoFiber();
            } else {
                later.add(this);
            }
        }
    }

    private void refuseAsNoFiber() {
        CordImpl here = CordImpl.currentOrNull();
        if (here == null) {
            refuseAll();
        } else {
            here.loop.asNoFiber(this::refuseAll);
        }
    }

    /** Runs the action, which sends, and refuses what it sent to ended cords when it is over. */
    public static <T> T refusingLater(Supplier<T> action) {
        if (LATER.get() != null) {
            return action.get();
        }
        Set<Inbox> later = new LinkedHashSet<>(0);
        LATER.set(later);
        try {
            return action.get();
        } finally {
            LATER.set(null);
            later.forEach(Inbox::refuseAsNoFiber);
        }
    }

    /**
     * On the cord: the next message, which stays; null if there is none, or none that can be taken
     * yet. While nothing comes it reads no cache line that senders write, unlike {@link #isEmpty}.
     */
    @Nullable CordMessage peek() {
        return queue.peek();
    }

    /** On the cord: takes the message that {@link #peek} has returned out. */
    void drop() {
        queue.poll();
    }

    public boolean isEmpty() {
        return queue.isEmpty();
    }

    public boolean isClosed() {
        return closed;
    }

    /** A hint, because it can change at once. From any thread. */
    int size() {
        return queue.size();
    }

    /**
     * On the cord: runs up to {@code limit} messages, and returns how many they were; the others
     * wait for the next poll.
     */
    public int drain(int limit) {
        for (int i = 0; i < limit; i++) {
            CordMessage message = queue.poll();
            if (message == null) {
                return i;
            }
            try {
                message.onCord();
            } catch (Throwable broken) {
                Logs.tellBroken(LOG, broken, "a message to a cord failed: {}", message);
            }
            if (isDrained) {
                isDrained = false;
                return i + 1;
            }
        }
        return limit;
    }

    /**
     * On the cord, in a message: the one in hand is the last one of this poll, so the cord's fibers
     * have a turn before the next one.
     */
    public void endDrain() {
        isDrained = true;
    }

    void close() {
        closed = true;
        refuseAll();
    }

    /**
     * The cord has left, so late senders take turns as the queue's one consumer: one that finds
     * another one at it only has it poll once more. So the messages of a sender are refused in
     * order.
     */
    private void refuseAll() {
        int asked = toRefuse.getAndIncrement() == 0 ? 1 : 0;
        while (asked != 0) {
            while (!queue.isEmpty()) {
                CordMessage message = queue.poll();
                if (message == null) {
                    // A sender has taken its place and not linked its message yet: a few
                    // instructions. It may have asked before that whether this is closed.
                    Thread.onSpinWait();
                } else {
                    refuse(message);
                }
            }
            asked = toRefuse.addAndGet(-asked);
        }
    }

    private static void refuse(CordMessage message) {
        try {
            message.onClosed();
        } catch (Throwable broken) {
            String text = "a message to a cord that has ended failed: {}";
            Logs.tellBroken(LOG, broken, text, message);
        }
    }
}
