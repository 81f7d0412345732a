package dev.ropewalk.actors.internal.routing;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many messages an actor has queued, as it says itself after each message, with a number that
 * grows. Written by the actor's cord, read by any thread.
 */
public final class Gauge {
    private static final int COUNT_SHIFT = 32;

    private final AtomicLong published = new AtomicLong();

    /** Without a fence: a router that reads it late takes a member that is a little fuller. */
    public void publish(int size) {
        long count = (published.getPlain() >>> COUNT_SHIFT) + 1;
        published.lazySet(count << COUNT_SHIFT | size);
    }

    long read() {
        return published.get();
    }

    static int size(long read) {
        return (int) read;
    }

    static int count(long read) {
        return (int) (read >>> COUNT_SHIFT);
    }
}
