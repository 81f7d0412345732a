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
 *   all but GONE -> STOPPING        what its kept state left to do is done
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

    /** Of the latest incarnation; null if there was none. */
    @Nullable Fiber<?> fiber;

    /** Null while it runs and nothing has befallen it. */
    private @Nullable Past past;

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

    /** What has befallen it, to be changed. */
    Past past() {
        if (past == null) {
            past = new Past();
        }
        return past;
    }

    /** Why it went down, in a group or while its supervisor ended; null if it is up. */
    @Nullable ExitReason lastReason() {
        return past == null ? null : past.lastReason;
    }

    boolean isDraining() {
        Past known =
                past; // the actor's cord may see it late, and then takes its end for no last one
        return known != null && known.isDraining;
    }

    boolean isRestarting() {
        return past != null && past.isRestarting;
    }

    boolean isUnwanted() {
        return past != null && past.isUnwanted;
    }

    boolean isToForget() {
        return past != null && past.isToForget;
    }

    boolean isStateLeft() {
        return past != null && past.isStateLeft;
    }

    /** It is spun. */
    void begins() {
        if (past != null) {
            past.lastReason = null;
            past.isRestarting = false;
            past.isStateLeft = false;
        }
    }

    /** Its supervisor is started again. */
    void beginsAnew() {
        if (past != null) {
            past.delays = null;
            past.isDraining = false;
        }
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
        return "child " + what.address() + " " + state;
    }

    /** What most children never need: apart, because there may be very many children. */
    static final class Past {
        /** Of the restarts; null if there was none. */
        @Nullable RestartDelays delays;

        @Nullable ExitReason lastReason;

        /** When it was asked to stop. */
        long stopBeganNs;

        /** It was told to end when it is done. The actor's cord reads it, too. */
        volatile boolean isDraining;

        /** It was spun again, and is not up yet. */
        boolean isRestarting;

        /** It was asked to stop for itself: its supervisor does not start it again either. */
        boolean isUnwanted;

        /** Its first start was given up: it is forgotten even if it has a spec. */
        boolean isToForget;

        /** Its state was kept, with end hooks that are to run if it is not started again. */
        boolean isStateLeft;
    }
}
