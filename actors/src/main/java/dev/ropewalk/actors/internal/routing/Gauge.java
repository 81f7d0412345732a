package dev.ropewalk.actors.internal.routing;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many messages an actor has queued, as it says itself once a turn, with the number of the
 * turn. Written by the actor's cord, read by any thread.
 */
public final class Gauge {
    private static final int TURN_SHIFT = 32;

    private final AtomicLong published = new AtomicLong();

    /** Without a fence: a router that reads it late takes a member that is a little fuller. */
    public void publish(int size) {
        long turn = (published.getPlain() >>> TURN_SHIFT) + 1;
        published.lazySet(turn << TURN_SHIFT | size);
    }

    long read() {
        return published.get();
    }

    static int size(long read) {
        return (int) read;
    }

    static int turn(long read) {
        return (int) (read >>> TURN_SHIFT);
    }
}
