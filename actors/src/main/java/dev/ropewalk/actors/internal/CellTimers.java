package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorTimer;
import dev.ropewalk.actors.Timers;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.InContext;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.observe.TimerKind;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

/** An actor's timers: alarms of its cord. Confined to the actor's cord. */
final class CellTimers<M> implements Timers<M> {
    private final ActorCell<M> cell;

    /** All that are active. */
    private final Set<Entry> active = new LinkedHashSet<>();

    /** Of these, the ones with a name. */
    private final Map<String, Entry> named = new HashMap<>();

    /** Of the state of a state machine; null if none is set. */
    private @Nullable Entry ofState;

    /** Ended by any message; null if none is set. */
    private @Nullable Entry ofIdleness;

    /**
     * The idle timeout that the message in hand has ended; it is set again if that message fails
     * and the state is kept.
     */
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
        ofState = set(TimerKind.STATE, timeout);
    }

    /** The state has changed, or its timeout is to be another one. */
    void endOfState() {
        if (ofState != null) {
            ofState.cancelUnlessInHand();
            ofState = null;
        }
    }

    void setOfIdleness(Requests.Timeout<M> timeout) {
        endOfIdleness(null);
        ofIdleness = set(TimerKind.IDLE, timeout);
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
            idle.cancelUnlessInHand();
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
    private @Nullable Entry set(TimerKind kind, Requests.Timeout<M> timeout) {
        M message = timeout.message();
        if (message == null) {
            return null;
        }
        long nanos = Waits.nanos(timeout.after());
        Entry entry = new Entry(null, kind, nanos, message);
        active.add(entry);
        tellSet(entry);
        if (nanos == 0) {
            entry.deliver(contextFor(kind)); // behind what is queued, before what comes later
        } else {
            entry.arm(nanos, contextFor(kind));
        }
        return entry;
    }

    /** One that repeats has none: it would go on with a trace for ever. */
    private @Nullable Object contextFor(TimerKind kind) {
        return Taps.onTells() && kind.isOnce() ? cell.core().contextHere() : null;
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
        return set(null, TimerKind.ONCE, delay, message);
    }

    @Override
    public ActorTimer once(String name, Duration delay, M message) {
        return set(Objects.requireNonNull(name, "name"), TimerKind.ONCE, delay, message);
    }

    @Override
    public ActorTimer fixedDelay(Duration delay, M message) {
        return set(null, TimerKind.FIXED_DELAY, delay, message);
    }

    @Override
    public ActorTimer fixedDelay(String name, Duration delay, M message) {
        return set(Objects.requireNonNull(name, "name"), TimerKind.FIXED_DELAY, delay, message);
    }

    @Override
    public ActorTimer fixedRate(Duration period, M message) {
        return set(null, TimerKind.FIXED_RATE, period, message);
    }

    @Override
    public ActorTimer fixedRate(String name, Duration period, M message) {
        return set(Objects.requireNonNull(name, "name"), TimerKind.FIXED_RATE, period, message);
    }

    private ActorTimer set(@Nullable String name, TimerKind kind, Duration time, M message) {
        check();
        long nanos = Waits.nanos(time);
        if (kind != TimerKind.ONCE && nanos == 0) {
            throw new IllegalArgumentException(
                    "time=" + time + ": a timer that repeats needs a time above 0");
        }
        Entry entry = new Entry(name, kind, nanos, Objects.requireNonNull(message, "message"));
        entry.arm(nanos, contextFor(kind));
        if (name != null) {
            Entry before = named.get(name);
            if (before != null) {
                before.close();
            }
            named.put(name, entry);
        }
        active.add(entry);
        tellSet(entry);
        return entry;
    }

    private void tellSet(Entry entry) {
        if (Taps.areAny()) {
            Duration time = Duration.ofNanos(entry.nanos);
            cell.taps().forEach(tap -> tap.timerSet(entry.name, entry.kind, time, entry.message));
        }
    }

    @Override
    public boolean cancel(String name) {
        check();
        Entry entry = named.get(Objects.requireNonNull(name, "name"));
        if (entry != null) {
            entry.closeAndTell();
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
        new ArrayList<>(active).forEach(Entry::closeAndTell);
    }

    // ---------------------------------------------------------------- by hand

    /** Those that are set, in the order in which they were set. */
    List<Entry> active() {
        return List.copyOf(active);
    }

    @Override
    public String toString() {
        return "the timers of " + cell.ref();
    }

    /** One timer. Its message is pending from going off until the actor is done with it. */
    final class Entry implements ActorTimer, Envelope.Notice.Source {
        private final @Nullable String name;
        private final TimerKind kind;
        private final long nanos;
        private final M message;
        private @Nullable Alarm alarm;

        /** When it goes off next, or went off last. */
        private long dueNs;

        private boolean pending;

        Entry(@Nullable String name, TimerKind kind, long nanos, M message) {
            this.name = name;
            this.kind = kind;
            this.nanos = nanos;
            this.message = message;
        }

        private void arm(long delayNs) {
            arm(delayNs, null);
        }

        /** The context is in the alarm alone: most timers have none. */
        void arm(long delayNs, @Nullable Object context) {
            dueNs = Waits.nanoTime() + delayNs;
            alarm = Alarm.after(delayNs, new Due(context));
        }

        /** The code of the alarm; its text stands in the dump of its cord. */
        private final class Due implements Runnable {
            private final @Nullable Object context;

            Due(@Nullable Object context) {
                this.context = context;
            }

            @Override
            public void run() {
                goOff(context);
            }

            @Override
            public String toString() {
                return Entry.this.toString();
            }
        }

        private void goOff(@Nullable Object context) {
            alarm = null;
            if (!active.contains(this)) {
                return;
            }
            if (kind == TimerKind.FIXED_RATE) {
                arm(nanos - (Waits.nanoTime() - dueNs) % nanos);
            }
            deliver(context);
        }

        private void deliver(@Nullable Object context) {
            if (!pending) {
                pending = true;
                cell.deliver(
                        context == null
                                ? new Envelope.Notice<>(UnaryOperator.identity(), message, this)
                                : new InContext.Notice<>(
                                        UnaryOperator.identity(), message, this, context));
            }
        }

        /** Before it is due: the time that it was set for does not count any more. */
        void goOffEarly() {
            if (alarm != null) {
                alarm.cancel();
                alarm = null;
            }
            if (kind == TimerKind.FIXED_RATE) {
                arm(dueNs - Waits.nanoTime() + nanos);
            }
            deliver(null);
        }

        @Nullable String name() {
            return name;
        }

        TimerKind kind() {
            return kind;
        }

        M message() {
            return message;
        }

        /** Its message is on its way, in hand, or postponed. */
        boolean isPending() {
            return pending;
        }

        long dueNs() {
            return dueNs;
        }

        @Override
        public void done() {
            if (!pending) {
                return;
            }
            pending = false;
            if (kind.isOnce()) {
                close();
            } else if (kind == TimerKind.FIXED_DELAY && !isRevoked()) {
                arm(nanos);
            }
        }

        @Override
        public void cancel() {
            Caller.checkIs(cell, "cancel of a timer");
            closeAndTell();
        }

        /** By the program. */
        void closeAndTell() {
            if (Taps.areAny() && active.contains(this)) {
                cell.taps().forEach(tap -> tap.timerCancelled(name, message));
            }
            close();
        }

        /** The state has changed, or a message has come: if that is its own, it has gone off. */
        void cancelUnlessInHand() {
            Incarnation<M> running = cell.running();
            if (pending && running != null && running.isInHand(this)) {
                close();
            } else {
                closeAndTell();
            }
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
