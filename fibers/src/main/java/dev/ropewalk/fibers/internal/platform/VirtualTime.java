package dev.ropewalk.fibers.internal.platform;

import org.jspecify.annotations.Nullable;

import java.util.PriorityQueue;
import java.util.function.Supplier;

/**
 * A clock that stands still until it is moved on, one for all cords that share it, and the events
 * that are no cord's: of the network between them.
 *
 * <p>Confined to the thread of its cords, but for the time itself.
 */
public final class VirtualTime {
    private volatile long nowNs;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long sequence;

    /** The thing that the cords of this time share, made by the first that asks. */
    private @Nullable Object shared;

    private record Event(long atNs, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return atNs == other.atNs
                    ? Long.compare(number, other.number)
                    : Long.signum(atNs - other.atNs);
        }
    }

    public VirtualTime(long nowNs) {
        this.nowNs = nowNs;
    }

    public long nanoTime() {
        return nowNs;
    }

    /** The network between the cords, for example. */
    public Object shared(Supplier<?> make) {
        Object there = shared;
        if (there == null) {
            there = make.get();
            shared = there;
        }
        return there;
    }

    /** Runs the action when that much time has passed, between two turns, as no fiber. */
    public void after(long delayNs, Runnable action) {
        events.add(new Event(nowNs + delayNs, sequence++, action));
    }

    /** When the next event is due; null if there is none. */
    public @Nullable Long nextEventNs() {
        Event next = events.peek();
        return next == null ? null : (Long) next.atNs;
    }

    /** Runs the events up to then, each at its time. */
    public void moveOnTo(long instantNs) {
        for (Event next = events.peek();
                next != null && next.atNs - instantNs <= 0;
                next = events.peek()) {
            events.remove();
            setTo(next.atNs);
            next.action.run();
        }
        setTo(instantNs);
    }

    /** No effect if it is that late already. */
    private void setTo(long instantNs) {
        if (instantNs - nowNs > 0) {
            nowNs = instantNs;
        }
    }
}
