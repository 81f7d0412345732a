package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * A start that is not simply done at once: after a back-off, or one for which somebody waits. Such
 * a one is done when the factory has returned, or the body is about to begin. Exactly one of done,
 * failed and too late takes effect; the waiter decides.
 */
final class Start {
    private static final Object DONE = new Object();

    private record Failed(String why, @Nullable Throwable cause) {}

    private final Object name;
    private final long delayNs;

    /** Null if nobody waits. */
    private final @Nullable WaitCell waiter;

    /** The supervisor that is told when it is done; null if none is. */
    private final @Nullable SupervisorCell told;

    /** What starts; null while the supervisor has not begun it. For the supervisor's cord only. */
    @Nullable Child child;

    private Start(
            Object name, long delayNs, @Nullable WaitCell waiter, @Nullable SupervisorCell told) {
        this.name = name;
        this.delayNs = delayNs;
        this.waiter = waiter;
        this.told = told;
    }

    /** Which the caller awaits. */
    static Start awaited(String name) {
        return new Start(name, 0, new WaitCell(), null);
    }

    /** After a time; its supervisor goes on meanwhile. */
    static Start after(long delayNs, SupervisorCell supervisor, Object name) {
        return new Start(name, delayNs, null, supervisor);
    }

    /** Of a child whose supervisor goes on when it is done; that hears of a failure anyway. */
    static Start toldTo(SupervisorCell supervisor, Object name) {
        return after(0, supervisor, name);
    }

    long delayNs() {
        return delayNs;
    }

    void done() {
        give(DONE);
        if (told != null) {
            told.post(new SupervisorEvent.Started(this));
        }
    }

    /** No effect if it was done. */
    void failed(String why, @Nullable Throwable cause) {
        give(new Failed(why, cause));
    }

    private void give(Object result) {
        if (waiter != null) {
            waiter.give(result);
        }
    }

    /** The caller gets the exception. */
    void refused(RuntimeException refusal) {
        give(refusal);
    }

    /** Waits for it. */
    void await(Duration limit) {
        Object result = Objects.requireNonNull(waiter).await(this, Waits.nanos(limit));
        if (result == Waits.TIMED_OUT) {
            throw tooLate(name, limit);
        }
        if (result instanceof RuntimeException refusal) {
            throw refusal;
        }
        if (result instanceof Failed failed) {
            throw new StartFailedException(
                    name + " did not start: " + failed.why(), failed.cause());
        }
    }

    static StartFailedException tooLate(Object name, Duration limit) {
        return new StartFailedException(
                name
                        + " did not start within the start limit of "
                        + limit
                        + " and was ended; its factory, or the beginning of its body, takes"
                        + " longer. Let it tell itself a message and go on there, or set a"
                        + " longer limit",
                null);
    }

    @Override
    public String toString() {
        return "the start of " + name;
    }
}
