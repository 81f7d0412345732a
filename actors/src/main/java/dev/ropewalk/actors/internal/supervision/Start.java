package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.supervision.Supervision;
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
public final class Start {
    private static final Object DONE = new Object();

    private record Failed(String why, @Nullable Throwable cause) {}

    private final Object name;
    private final long delayNs;

    /** Null if nobody waits. */
    private final @Nullable WaitCell waiter;

    /** The supervisor that is told when it is done; null if none is. */
    private final @Nullable Supervising told;

    /** If it fails, it is no child. */
    private final boolean isNew;

    /**
     * The child that starts; null while the supervisor has not begun it. For the supervisor's cord
     * only.
     */
    @Nullable Child child;

    private Start(
            Object name,
            long delayNs,
            @Nullable WaitCell waiter,
            @Nullable Supervising told,
            boolean isNew) {
        this.name = name;
        this.delayNs = delayNs;
        this.waiter = waiter;
        this.told = told;
        this.isNew = isNew;
    }

    /** Which the caller awaits. */
    static Start awaited(String name) {
        return new Start(name, 0, new WaitCell(), null, false);
    }

    /** Which the caller awaits, of what is a child only if it succeeds. */
    static Start ofNew(String name) {
        return new Start(name, 0, new WaitCell(), null, true);
    }

    /** After a time; its supervisor goes on meanwhile. */
    static Start after(long delayNs, Supervising supervisor, Object name) {
        return new Start(name, delayNs, null, supervisor, false);
    }

    /** Of a child whose supervisor goes on when it is done; that hears of a failure anyway. */
    public static Start toldTo(Supervising supervisor, Object name) {
        return after(0, supervisor, name);
    }

    public long delayNs() {
        return delayNs;
    }

    boolean isAwaited() {
        return waiter != null;
    }

    boolean isNew() {
        return isNew;
    }

    public void done() {
        give(DONE);
        if (told != null) {
            told.post(new SupervisorEvent.Started(this));
        }
    }

    /** No effect if it was done. */
    public void failed(String why, @Nullable Throwable cause) {
        give(new Failed(why, cause));
    }

    /** For this reason it was not up. */
    public void failed(ExitReason reason) {
        String why =
                reason instanceof ExitReason.Normal ? "it ended at once" : Restarts.why(reason);
        failed(why, reason.failure());
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

    /** Waits for it; false if the limit passed, and the start is to be given up. */
    boolean await(Duration limit) {
        Object result = Objects.requireNonNull(waiter).await(this, Waits.nanos(limit));
        if (result instanceof RuntimeException refusal) {
            throw refusal;
        }
        if (result instanceof Failed failed) {
            throw new StartFailedException(
                    name + " did not start: " + failed.why(), failed.cause());
        }
        return result != Waits.TIMED_OUT;
    }

    /** Of a start that is given up the caller hears when what started has ended. */
    void awaitOrGiveUp(Supervising supervisor) {
        Supervision rules = supervisor.rules();
        boolean isDecided = false;
        boolean isInTime;
        try {
            isInTime = await(rules.startLimit());
            isDecided = true;
        } catch (StartFailedException | IllegalArgumentException | IllegalStateException refused) {
            isDecided = true;
            throw refused;
        } finally {
            if (!isDecided) { // the caller was ended
                supervisor.post(new SupervisorEvent.GiveUp(this, null));
            }
        }
        if (isInTime) {
            return;
        }
        WaitCell answer = new WaitCell();
        supervisor.post(new SupervisorEvent.GiveUp(this, answer));
        long limitNs = Waits.nanos(rules.stopLimit());
        boolean isEndless = limitNs >= Long.MAX_VALUE / 2;
        Object why =
                answer.await(
                        "the end of what did not start: " + this,
                        isEndless
                                ? Waits.nanos(rules.startLimit())
                                : limitNs + 2 * ChildEnds.GRACE_NS);
        throw tooLate(rules.startLimit(), why instanceof String text ? text : null);
    }

    /**
     * The exception that the limit brings.
     *
     * @param why it had not begun; null if it had
     */
    StartFailedException tooLate(Duration limit, @Nullable String why) {
        return new StartFailedException(
                name
                        + " did not start within the start limit of "
                        + limit
                        + (why == null
                                ? " and was ended; its factory, or the beginning of its body, takes"
                                        + " longer. Let it tell itself a message and go on there,"
                                        + " or set a longer limit"
                                : ", because "
                                        + why
                                        + ". Try again later, or use spin, which does not wait"),
                null);
    }

    @Override
    public String toString() {
        return "the start of " + name;
    }
}
