package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorTimer;
import dev.ropewalk.actors.Timers;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

/** An actor's timers: alarms of its cord. Confined to the actor's cord. */
final class CellTimers<M> implements Timers<M> {
    private enum Kind {
        ONCE,
        FIXED_DELAY,
        FIXED_RATE
    }

    private final ActorCell<M> cell;

    /** All that are active. */
    private final Set<Entry> active = new LinkedHashSet<>();

    /** Of these, the ones with a name. */
    private final Map<String, Entry> named = new HashMap<>();

    /** Of the state of a state machine; null if none is set. */
    private @Nullable Entry ofState;

    /** Ended by any message; null if none is set. */
    private @Nullable Entry ofIdleness;

    /** What the message in hand has ended, which goes on if that fails and the state is kept. */
    private Requests.@Nullable Timeout<M> endedIdleness;

    /** The state is over. */
    private boolean isClosed;

    CellTimers(ActorCell<M> cell) {
        this.cell = cell;
    }

    void close() {
        isClosed = true;
        new ArrayList<>(active).forEach(Entry::close);
    }

    // ---------------------------------------------------------------- state machines

    /** Takes the place of the one before. */
    void setOfState(Requests.Timeout<M> timeout) {
        endOfState();
        ofState = set(timeout);
    }

    /** The state has changed, or its timeout is to be another one. */
    void endOfState() {
        if (ofState != null) {
            ofState.close();
            ofState = null;
        }
    }

    void setOfIdleness(Requests.Timeout<M> timeout) {
        endOfIdleness(null);
        ofIdleness = set(timeout);
    }

    /**
     * A message is begun.
     *
     * @param item if it is that of the idle timeout itself, it stays until that is done
     */
    void endOfIdleness(@Nullable Object item) {
        Entry idle = ofIdleness;
        if (idle != null && !(item instanceof Envelope.Notice<?> own && own.source == idle)) {
            boolean wasSet = active.contains(idle);
            idle.close();
            ofIdleness = null;
            endedIdleness =
                    wasSet
                            ? new Requests.Timeout<>(Duration.ofNanos(idle.nanos), idle.message)
                            : null;
        }
    }

    /** The message in hand has completed, and its word stands. */
    void completed() {
        endedIdleness = null;
    }

    /** The message in hand has failed: it was not there, as far as the state is concerned. */
    void failed() {
        Requests.Timeout<M> idle = endedIdleness;
        endedIdleness = null;
        if (idle != null) {
            setOfIdleness(idle);
        }
    }

    /** Null if it is to be none. */
    private @Nullable Entry set(Requests.Timeout<M> timeout) {
        M message = timeout.message();
        if (message == null) {
            return null;
        }
        long nanos = Waits.nanos(timeout.after());
        Entry entry = new Entry(null, Kind.ONCE, nanos, message);
        active.add(entry);
        if (nanos == 0) {
            entry.goOff(); // behind what is queued, and before what comes later
        } else {
            entry.arm(nanos);
        }
        return entry;
    }

    // ---------------------------------------------------------------- for programs

    private void check() {
        Caller.checkIs(cell, "timers");
        if (isClosed) {
            throw new IllegalStateException(
                    this
                            + " have ended with the state that they were made for; call timers()"
                            + " anew");
        }
    }

    @Override
    public ActorTimer once(Duration delay, M message) {
        return set(null, Kind.ONCE, delay, message);
    }

    @Override
    public ActorTimer once(String name, Duration delay, M message) {
        return set(Objects.requireNonNull(name, "name"), Kind.ONCE, delay, message);
    }

    @Override
    public ActorTimer fixedDelay(Duration delay, M message) {
        return set(null, Kind.FIXED_DELAY, delay, message);
    }

    @Override
    public ActorTimer fixedDelay(String name, Duration delay, M message) {
        return set(Objects.requireNonNull(name, "name"), Kind.FIXED_DELAY, delay, message);
    }

    @Override
    public ActorTimer fixedRate(Duration period, M message) {
        return set(null, Kind.FIXED_RATE, period, message);
    }

    @Override
    public ActorTimer fixedRate(String name, Duration period, M message) {
        return set(Objects.requireNonNull(name, "name"), Kind.FIXED_RATE, period, message);
    }

    private ActorTimer set(@Nullable String name, Kind kind, Duration time, M message) {
        check();
        long nanos = Waits.nanos(time);
        if (kind != Kind.ONCE && nanos == 0) {
            throw new IllegalArgumentException(
                    "time=" + time + ": a timer that repeats needs a time above 0");
        }
        Entry entry = new Entry(name, kind, nanos, Objects.requireNonNull(message, "message"));
        entry.arm(nanos);
        if (name != null) {
            cancel(name);
            named.put(name, entry);
        }
        active.add(entry);
        return entry;
    }

    @Override
    public boolean cancel(String name) {
        check();
        Entry entry = named.get(Objects.requireNonNull(name, "name"));
        if (entry != null) {
            entry.close();
        }
        return entry != null;
    }

    @Override
    public boolean isActive(String name) {
        check();
        return named.containsKey(Objects.requireNonNull(name, "name"));
    }

    @Override
    public void cancelAll() {
        check();
        endedIdleness = null;
        new ArrayList<>(active).forEach(Entry::close);
    }

    @Override
    public String toString() {
        return "the timers of " + cell.ref();
    }

    /** One timer. Its message is pending from going off until the actor is done with it. */
    private final class Entry implements ActorTimer, Envelope.Notice.Source {
        private final @Nullable String name;
        private final Kind kind;
        private final long nanos;
        private final M message;
        private final long setNs = Waits.nanoTime();
        private @Nullable Alarm alarm;
        private boolean pending;

        Entry(@Nullable String name, Kind kind, long nanos, M message) {
            this.name = name;
            this.kind = kind;
            this.nanos = nanos;
            this.message = message;
        }

        void arm(long delayNs) {
            alarm = Alarm.after(delayNs, this::goOff);
        }

        private void goOff() {
            alarm = null;
            if (!active.contains(this)) {
                return;
            }
            if (kind == Kind.FIXED_RATE) {
                arm(nanos - (Waits.nanoTime() - setNs) % nanos);
            }
            if (!pending) {
                pending = true;
                cell.deliver(new Envelope.Notice<>(UnaryOperator.identity(), message, this));
            }
        }

        @Override
        public void done() {
            if (!pending) {
                return;
            }
            pending = false;
            if (kind == Kind.ONCE) {
                close();
            } else if (kind == Kind.FIXED_DELAY && !isRevoked()) {
                arm(nanos);
            }
        }

        @Override
        public void cancel() {
            Caller.checkIs(cell, "cancel of a timer");
            close();
        }

        void close() {
            if (!active.remove(this)) {
                return;
            }
            if (name != null) {
                named.remove(name);
            }
            if (alarm != null) {
                alarm.cancel();
            }
        }

        @Override
        public boolean isActive() {
            cell.checkCord("isActive of a timer");
            return active.contains(this);
        }

        @Override
        public boolean isRevoked() {
            return !active.contains(this);
        }

        @Override
        public String toString() {
            return "timer "
                    + (name == null ? "" : name + " ")
                    + kind
                    + " "
                    + Duration.ofNanos(nanos)
                    + " of "
                    + cell.ref();
        }
    }
}
