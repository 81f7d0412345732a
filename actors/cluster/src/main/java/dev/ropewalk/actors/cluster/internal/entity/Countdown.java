package dev.ropewalk.actors.cluster.internal.entity;

import java.util.concurrent.atomic.AtomicInteger;

/** Runs code when all of its parts are done. Parts are done on any thread, each once. */
public final class Countdown {
    private final Runnable then;

    /** One more than the parts, until {@link #begin}, so that the first ones do not end it. */
    private final AtomicInteger left = new AtomicInteger(1);

    public Countdown(Runnable then) {
        this.then = then;
    }

    /** Adds a part. Before {@link #begin}. */
    public Runnable part() {
        left.incrementAndGet();
        return this::done;
    }

    /** There are no more parts. */
    public void begin() {
        done();
    }

    private void done() {
        if (left.decrementAndGet() == 0) {
            then.run();
        }
    }
}
