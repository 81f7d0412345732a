package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.supervision.ChildInfo;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.supervision.RestartDelays;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * A supervisor's record of one of its children; written on the supervisor's cord only.
 *
 * <pre>
 *   NEW, DOWN -> STARTING           it was spun, and its supervisor waits until it is up
 *   NEW, DOWN -> UP                 it was spun, and nobody waits; also STARTING -> UP, when it is
 *   STARTING, UP -> STOPPING        it was asked to end, and its end is expected
 *   all but GONE -> STOPPING        what its kept state left to do is done
 *   STARTING, UP, STOPPING -> DOWN  its incarnation is over; what stays so is to be started again
 *   all but GONE -> STOPPED         it is not started again, but stays known by its spec
 *   all -> GONE                     it is not started again, and stands in no list
 * </pre>
 */
public final class Child {
    enum State {
        NEW,
        STARTING,
        UP,
        STOPPING,
        DOWN,
        STOPPED,
        GONE
    }

    private static final State[] STATES = State.values();

    final Supervised what;

    /** Null for the root of a system. */
    private final @Nullable Supervising supervisor;

    /** Null if it was spun, and is forgotten when it is over. */
    final @Nullable ChildSpec<?> spec;

    /** It has a name of its own, which is taken; written before others know of it. */
    boolean hasName;

    /** Of the latest incarnation; null if there was none. */
    @Nullable Fiber<?> fiber;

    /** Null while it runs and nothing has befallen it. */
    private @Nullable Past past;

    /** The links of {@link Children}. */
    @Nullable Child older;

    @Nullable Child younger;

    /** Its place in {@link #STATES}: a store of a reference costs nanoseconds more with G1. */
    @SuppressWarnings("EnumOrdinal") // a number for the moment, seen by no other class
    private byte state = (byte) State.NEW.ordinal();

    public Child(Supervised what, @Nullable Supervising supervisor, @Nullable ChildSpec<?> spec) {
        this.what = what;
        this.supervisor = supervisor;
        this.spec = spec;
    }

    public Supervising supervisor() {
        return Objects.requireNonNull(supervisor, "the supervisor of a root");
    }

    public RestartRule restartRule() {
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
    public Duration stopLimit(Supervision rules) {
        Duration own = spec == null ? null : spec.stopLimit();
        return own == null ? what.stopLimit(rules) : own;
    }

    /** Its past, for the caller to change. */
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

    public boolean isDraining() {
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

    boolean isDelayed() {
        return past != null && past.isDelayed;
    }

    boolean isLate() {
        return past != null && past.isLate;
    }

    void isNotLate() {
        if (past != null) {
            past.isLate = false;
        }
    }

    /** It has ended, or is taken for ended. */
    void stopLimitEnds() {
        if (past != null && past.stopLimit != null) {
            past.stopLimit.cancel();
            past.stopLimit = null;
        }
    }

    /** Null unless it is not started again once it has ended. */
    @Nullable Departure departure() {
        return past == null ? null : past.departure;
    }

    /** It is not started again once it has ended. */
    Departure departs() {
        Past own = past();
        if (own.departure == null) {
            own.departure = new Departure();
        }
        return own.departure;
    }

    /** Its departure, if it has one, is complete. */
    void hasLeft(ExitReason why) {
        Departure done = departure();
        if (done != null) {
            past().departure = null;
            done.tell(why);
        }
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
            past.isDelayed = false;
        }
    }

    /** Its supervisor is started again. */
    void beginsAnew() {
        if (past != null) {
            past.delays = null;
            past.isDraining = false;
            past.isDelayed = false;
            past.isLate = false;
        }
    }

    /** An incarnation runs, or is about to. */
    boolean isAlive() {
        State now = state();
        return now == State.UP || now == State.STARTING || now == State.STOPPING;
    }

    State state() {
        return STATES[state];
    }

    /** The facts about it that programs may know. */
    ChildInfo info() {
        ChildInfo.State told =
                switch (state()) {
                    case UP -> isRestarting() ? ChildInfo.State.RESTARTING : ChildInfo.State.UP;
                    case STOPPING -> ChildInfo.State.STOPPING;
                    case STOPPED, GONE -> ChildInfo.State.STOPPED;
                    case NEW, STARTING, DOWN -> ChildInfo.State.RESTARTING;
                };
        return new ChildInfo(
                what.name(),
                what instanceof SupervisedActor<?> actor ? actor.ref() : null,
                what instanceof Supervisor below ? below : null,
                told,
                restartRule(),
                isSignificant());
    }

    @SuppressWarnings("EnumOrdinal") // as above
    void state(State from, State to) {
        if (state() != from) {
            throw new IllegalStateException(
                    "state=" + state() + " != from=" + from + " in " + this);
        }
        state = (byte) to.ordinal();
    }

    @Override
    public String toString() {
        return "child " + what.address() + " " + state();
    }

    /** The fields that most children never need: apart, because there may be very many children. */
    static final class Past {
        /** Of the restarts; null if there was none. */
        @Nullable RestartDelays delays;

        @Nullable ExitReason lastReason;

        /** When it was asked to stop. */
        long stopBeganNs;

        /** Of its stop; null if none is set. */
        @Nullable Alarm stopLimit;

        /** Null unless it is not started again once it has ended. */
        @Nullable Departure departure;

        /** Of its back-off in a group, if it has one. */
        long delayEndsNs;

        boolean isDelayed;

        /** It was asked to stop because its start took too long. */
        boolean isLate;

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
