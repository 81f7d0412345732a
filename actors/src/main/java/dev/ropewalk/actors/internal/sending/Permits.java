package dev.ropewalk.actors.internal.sending;

import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The room in a bounded mailbox: a sender takes a permit before its message leaves, and the actor
 * gives it back when it begins the message (rule A3).
 *
 * <p>{@link #free} is never negative and changes by one atomic step, because a sender of another
 * cord takes and the actor gives back for each message. Only a sender that finds none comes to the
 * guard. A giver first gives back and then looks whether somebody waits; a waiter first says that
 * it waits and then looks for a permit: so one of the two sees the other. A sender that comes while
 * others wait waits behind them; one that came just before may overtake, which costs nobody more
 * than a turn.
 *
 * <p>Rejected: a {@code Semaphore}, strictly first in, first out, which takes its lock each time.
 */
final class Permits implements Handoff {
    private static final Object TAKEN = new Object();

    private final Object owner;
    private final int capacity;
    private final AtomicInteger free;
    private final Exclusion guard = Exclusion.byLock();

    /** Guarded. */
    private final WaitQueue<Object> queue = new WaitQueue<>();

    /** Whether somebody stands in the queue, or is about to; written inside the guard. */
    private volatile boolean hasWaiters;

    /** Set when the actor has ended: everybody may send, and it becomes a dead letter. */
    private volatile boolean isClosed;

    Permits(Object owner, int capacity) {
        this.owner = owner;
        this.capacity = capacity;
        this.free = new AtomicInteger(capacity);
    }

    /** Takes one if nobody waits for one. */
    boolean tryTake() {
        return isClosed || (!hasWaiters && takeFree());
    }

    private boolean takeFree() {
        int now = free.get();
        while (now > 0) {
            int seen = free.compareAndExchange(now, now - 1);
            if (seen == now) {
                return true;
            }
            now = seen;
        }
        return false;
    }

    /** Takes one, waiting for it; false if the limit passed. The caller was at a switchpoint. */
    boolean take(long limitNanos) {
        if (tryTake()) {
            return true;
        }
        WaitNode<Object> node;
        guard.enter(this);
        try {
            hasWaiters = true;
            if (isClosed || (queue.isEmpty() && takeFree())) {
                return true;
            }
            node = guard.node(null);
            queue.add(node);
        } finally {
            hasWaiters = !queue.isEmpty();
            guard.exit();
        }
        Object result = Waits.TIMED_OUT;
        try {
            result = guard.await(node, this, limitNanos);
        } finally {
            if (result != TAKEN) {
                serve(); // it may have kept others from being served
            }
        }
        return result == TAKEN;
    }

    /** Gives one back. Never switches. */
    void give() {
        free.getAndIncrement();
        if (hasWaiters) {
            serve();
        }
    }

    /** The actor has ended. */
    void close() {
        isClosed = true;
        serve();
    }

    private void serve() {
        List<WaitNode<Object>> served = new ArrayList<>();
        guard.enter(this);
        try {
            while (!queue.isEmpty() && (isClosed || takeFree())) {
                WaitNode<Object> first = queue.claimFirst(TAKEN);
                if (first == null) {
                    if (!isClosed) {
                        free.getAndIncrement(); // all had left
                    }
                } else {
                    served.add(first);
                }
            }
        } finally {
            hasWaiters = !queue.isEmpty();
            guard.exit();
        }
        WaitQueue.wakeAll(served);
    }

    // ---------------------------------------------------------------- abandoned waiters

    @Override
    public void reclaim(WaitNode<?> node, Object given) {
        give();
    }

    @Override
    public void abandoned(WaitNode<?> node) {
        serve();
    }

    // ---------------------------------------------------------------- looking

    void checkInvariants() {
        guard.enter(this);
        try {
            queue.checkInvariants();
            int now = free.get();
            if (!isClosed && now > capacity) {
                throw new IllegalStateException("free=" + now + " > capacity=" + capacity);
            }
            if (hasWaiters == queue.isEmpty()) {
                throw new IllegalStateException(
                        "hasWaiters=" + hasWaiters + " with " + queue.size() + " in the queue");
            }
        } finally {
            guard.exit();
        }
    }

    @Override
    public String toString() {
        return "room in the mailbox of " + owner + ", which holds " + capacity;
    }
}
