package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The first start of an actor for which somebody waits: done when the factory has returned, or the
 * body begun. Exactly one of done, failed and too late takes effect; the waiter decides.
 */
final class Start {
    private static final Object DONE = new Object();

    private record Failed(String why, @Nullable Throwable cause) {}

    private final String name;
    private final WaitCell waiter = new WaitCell();

    Start(String name) {
        this.name = name;
    }

    void done() {
        waiter.give(DONE);
    }

    /** No effect if it was done. */
    void failed(String why, @Nullable Throwable cause) {
        waiter.give(new Failed(why, cause));
    }

    /** Waits for it. */
    void await(Duration limit) {
        Object result = waiter.await(this, Waits.nanos(limit));
        if (result == Waits.TIMED_OUT) {
            throw new StartFailedException(
                    name
                            + " did not start within the start limit of "
                            + limit
                            + " and was ended; its factory, or the beginning of its body, takes"
                            + " longer. Let it tell itself a message and go on there, or set a"
                            + " longer limit",
                    null);
        }
        if (result instanceof Failed failed) {
            throw new StartFailedException(
                    name + " did not start: " + failed.why(), failed.cause());
        }
    }

    @Override
    public String toString() {
        return "the start of " + name;
    }
}
