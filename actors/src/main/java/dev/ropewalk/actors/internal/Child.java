package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartDelays;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * What a supervisor knows of one of its children; written on the supervisor's cord only.
 *
 * <pre>
 *   NEW, DOWN -> STARTING           it was spun, and its supervisor waits until it is up
 *   NEW, DOWN -> UP                 it was spun, and nobody waits; also STARTING -> UP, when it is
 *   STARTING, UP -> STOPPING        it was asked to end, and its end is expected
 *   STARTING, UP, STOPPING -> DOWN  its incarnation is over, and the supervisor is to decide
 *   DOWN, STARTING -> STOPPED       it is not started again, but stays known by its spec
 *   all -> GONE                     it is not started again, and stands in no list
 * </pre>
 */
final class Child {
    enum State {
        NEW,
        STARTING,
        UP,
        STOPPING,
        DOWN,
        STOPPED,
        GONE
    }

    final Supervised what;

    /** Null for the root of a system. */
    private final @Nullable SupervisorCell supervisor;

    /** Null if it was spun, and is forgotten when it is over. */
    final @Nullable ChildSpec<?> spec;

    /** Of the restarts; null if there was none. */
    @Nullable RestartDelays delays;

    /** Of the latest incarnation; null if there was none. */
    @Nullable Fiber<?> fiber;

    /** Why it went down, in a group or while it was stopped; null if it is up. */
    @Nullable ExitReason lastReason;

    /** When it was asked to stop. */
    long stopBeganNs;

    /** It was told to end when it is done. */
    boolean isDraining;

    /** It was asked to stop for itself: its supervisor does not start it again either. */
    boolean isUnwanted;

    /** The links of {@link Children}. */
    @Nullable Child older;

    @Nullable Child younger;

    private State state = State.NEW;

    Child(Supervised what, @Nullable SupervisorCell supervisor, @Nullable ChildSpec<?> spec) {
        this.what = what;
        this.supervisor = supervisor;
        this.spec = spec;
    }

    SupervisorCell supervisor() {
        return Objects.requireNonNull(supervisor, "the supervisor of a root");
    }

    RestartRule restartRule() {
        RestartRule own = spec == null ? null : spec.restartRule();
        return own == null ? what.restartRule() : own;
    }

    boolean isSignificant() {
        return spec != null && spec.isSignificant();
    }

    boolean isKilled() {
        return spec != null && spec.isKilled();
    }

    /** How long it may take to stop. */
    Duration stopLimit(Supervision rules) {
        Duration own = spec == null ? null : spec.stopLimit();
        return own == null ? what.stopLimit(rules) : own;
    }

    /** An incarnation runs, or is about to. */
    boolean isAlive() {
        return state == State.UP || state == State.STARTING || state == State.STOPPING;
    }

    State state() {
        return state;
    }

    void state(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    @Override
    public String toString() {
        return "child " + what.name() + " " + state;
    }
}
