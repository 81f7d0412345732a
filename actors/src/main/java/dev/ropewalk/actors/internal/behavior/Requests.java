package dev.ropewalk.actors.internal.behavior;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.internal.observe.DeadLetters;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The requests of a message of a handler beside the next behavior. They take effect when the
 * message and the entry of a new state have completed; if either fails, they never do.
 *
 * <p>Confined to the actor's fiber.
 */
public final class Requests<M> {
    /** From so many times on a message that is postponed again and again is told of. */
    public static final int TOLD_FROM = 1_000;

    /**
     * A timeout to be set.
     *
     * @param message null if the one that runs is to be cancelled
     */
    public record Timeout<M>(Duration after, @Nullable M message) {}

    private @Nullable List<M> inserted;
    private @Nullable List<Runnable> afterwards;
    private @Nullable Timeout<M> state;
    private @Nullable Timeout<M> idle;
    private boolean isPostponed;
    private boolean isEntering;

    /** Null until code runs whose tells are held. */
    private @Nullable Holding holding;

    /** How often the message in hand was postponed before. */
    private int postponedBefore;

    // ---------------------------------------------------------------- asking

    public void insert(M message) {
        if (inserted == null) {
            inserted = new ArrayList<>();
        }
        inserted.add(Objects.requireNonNull(message, "message"));
    }

    public void afterwards(Runnable action) {
        if (afterwards == null) {
            afterwards = new ArrayList<>();
        }
        afterwards.add(action);
    }

    /** Holds tells among these. */
    public Holding holding(DeadLetters deadLetters) {
        if (holding == null) {
            holding = new Holding(this, deadLetters);
        }
        return holding;
    }

    public @Nullable Holding holdingOrNull() {
        return holding;
    }

    public void stateTimeout(Duration after, M message) {
        Waits.nanos(after);
        state = new Timeout<>(after, Objects.requireNonNull(message, "message"));
    }

    public void cancelStateTimeout() {
        state = new Timeout<>(Duration.ZERO, null);
    }

    public void idleTimeout(Duration after, M message) {
        Waits.nanos(after);
        idle = new Timeout<>(after, Objects.requireNonNull(message, "message"));
    }

    /**
     * The message in hand is to come again later.
     *
     * @param actor for errors
     * @param state the name of the state; null if it has none
     */
    public void postpone(Object actor, @Nullable String state) {
        if (isEntering) {
            throw new IllegalStateException(
                    "postpone of "
                            + actor
                            + " was called in the entry of a state; only the behavior that handles"
                            + " a message can postpone it");
        }
        if (state == null) {
            throw new IllegalStateException(
                    "postpone of "
                            + actor
                            + " was called in a behavior without a name, so that no change of state"
                            + " would bring the message back; make it with Behavior.state");
        }
        isPostponed = true;
    }

    /** The failure of an actor whose rule for too many postponed messages is to fail. */
    public static IllegalStateException tooMany(Object actor, @Nullable String state, int max) {
        return new IllegalStateException(
                actor
                        + " has postponed "
                        + max
                        + " messages in state "
                        + state
                        + ", which is as many as it may; let it change its state, refuse what it"
                        + " cannot take, or give its mailbox another rule by withPostponed");
    }

    // ---------------------------------------------------------------- the message in hand

    /** They are granted, or the message is over. */
    public void clear() {
        inserted = null;
        afterwards = null;
        state = null;
        idle = null;
        isPostponed = false;
        postponedBefore = 0;
    }

    public void entering(boolean isEntering) {
        this.isEntering = isEntering;
    }

    /** The entry of a state runs. */
    public boolean isEntering() {
        return isEntering;
    }

    public void postponedBefore(int times) {
        postponedBefore = times;
    }

    public int postponedBefore() {
        return postponedBefore;
    }

    /**
     * Before it is granted.
     *
     * @param now the behavior before
     * @param returned by the message
     * @param to the behavior that follows
     */
    public void check(Object actor, Behavior<M> now, Behavior<M> returned, Behavior<M> to) {
        if (isPostponed && returned == BehaviorSigns.<M>unhandled()) {
            throw new IllegalStateException(
                    actor
                            + " in "
                            + now
                            + " postponed a message and returned Behavior.unhandled() for it;"
                            + " return same(), or do not postpone it");
        }
        if (state != null
                && state.message() != null
                && to != BehaviorSigns.<M>stopped()
                && StateBehavior.nameOf(to) == null) {
            throw new IllegalStateException(
                    actor
                            + " set a state timeout, but the behavior that follows has no name;"
                            + " make it with Behavior.state, or use timers().once");
        }
    }

    // ---------------------------------------------------------------- what was asked for

    public boolean isAny() {
        return isPostponed
                || inserted != null
                || afterwards != null
                || state != null
                || idle != null;
    }

    public boolean isPostponed() {
        return isPostponed;
    }

    /** In the order in which they are to come. */
    public List<M> inserted() {
        return inserted == null ? List.of() : inserted;
    }

    /** In the order in which they were asked for. */
    public List<Runnable> afterwards() {
        return afterwards == null ? List.of() : afterwards;
    }

    public @Nullable Timeout<M> stateTimeout() {
        return state;
    }

    public @Nullable Timeout<M> idleTimeout() {
        return idle;
    }
}
