package dev.ropewalk.actors.internal;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartDelays;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * What a supervisor knows of one of its children; written on the supervisor's cord only.
 *
 * <pre>
 *   NEW      -> RUNNING    it was spun; also again, RUNNING -> RUNNING, when an incarnation is over
 *   RUNNING  -> STOPPING   it is to end, and its end is expected
 *   NEW, RUNNING, STOPPING -> GONE   it is not started again, and stands in no list
 * </pre>
 */
final class Child {
    enum State {
        NEW,
        RUNNING,
        STOPPING,
        GONE
    }

    final Supervised what;

    /** Null for the root of a system. */
    private final @Nullable SupervisorCell supervisor;

    /** Of the restarts; null if there was none. */
    @Nullable RestartDelays delays;

    /** Of the latest incarnation; null if there was none. */
    @Nullable Fiber<?> fiber;

    /** It was told to end when it is done. */
    boolean isDraining;

    /** The links of {@link Children}. */
    @Nullable Child older;

    @Nullable Child younger;

    private State state = State.NEW;

    Child(Supervised what, @Nullable SupervisorCell supervisor) {
        this.what = what;
        this.supervisor = supervisor;
    }

    SupervisorCell supervisor() {
        return Objects.requireNonNull(supervisor, "the supervisor of a root");
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
