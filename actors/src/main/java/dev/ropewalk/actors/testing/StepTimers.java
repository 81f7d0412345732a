package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.ActorTimer;
import dev.ropewalk.actors.Timers;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.testing.Effect.TimerKind;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Timers that go off by hand, by a clock that is moved by hand. */
final class StepTimers<M> implements Timers<M> {
    private final Consumer<Effect> effects;

    /** All that are active, in the order in which they were set. */
    private final List<Entry> active = new ArrayList<>();

    private long nowNs;

    /** What the message in hand has ended. */
    private @Nullable Entry endedIdleness;

    StepTimers(Consumer<Effect> effects) {
        this.effects = effects;
    }

    // ---------------------------------------------------------------- the actor's side

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
        long nanos = Waits.nanos(time);
        if (kind != TimerKind.ONCE && nanos == 0) {
            throw new IllegalArgumentException(
                    "time=" + time + ": a timer that repeats needs a time above 0");
        }
        Entry entry = new Entry(name, kind, nanos, Objects.requireNonNull(message, "message"));
        Entry before = find(name);
        if (before != null) {
            active.remove(before);
        }
        active.add(entry);
        effects.accept(new Effect.TimerSet(name, kind, time, message));
        return entry;
    }

    @Override
    public boolean cancel(String name) {
        Entry entry = find(Objects.requireNonNull(name, "name"));
        if (entry != null) {
            entry.cancel();
        }
        return entry != null;
    }

    @Override
    public boolean isActive(String name) {
        return find(Objects.requireNonNull(name, "name")) != null;
    }

    @Override
    public void cancelAll() {
        endedIdleness = null;
        List.copyOf(active).forEach(Entry::cancel);
    }

    private @Nullable Entry find(@Nullable String name) {
        for (Entry each : active) {
            if (name != null && name.equals(each.name)) {
                return each;
            }
        }
        return null;
    }

    // ---------------------------------------------------------------- state machines

    /** Takes the place of the one of the same kind. */
    void set(TimerKind kind, Requests.Timeout<M> timeout) {
        end(kind, null);
        M message = timeout.message();
        if (message != null) {
            Entry entry = new Entry(null, kind, Waits.nanos(timeout.after()), message);
            active.add(entry);
            effects.accept(new Effect.TimerSet(null, kind, timeout.after(), message));
        }
    }

    /** A message is begun; its own timer stays until it is done. */
    void begins(@Nullable Object own) {
        endedIdleness = null;
        for (Entry each : active) {
            if (each.kind == TimerKind.IDLE && each != own) {
                endedIdleness = each;
            }
        }
        end(TimerKind.IDLE, own);
    }

    /** The message has completed. */
    void completed() {
        endedIdleness = null;
    }

    /** The message has failed, and the state is kept: what it ended begins anew. */
    void failed() {
        Entry ended = endedIdleness;
        endedIdleness = null;
        if (ended != null) {
            active.add(new Entry(null, TimerKind.IDLE, ended.nanos, ended.message));
        }
    }

    /** The state has changed, or a timer takes the place of another one. */
    void end(TimerKind kind, @Nullable Object own) {
        for (Entry each : List.copyOf(active)) {
            if (each.kind == kind && each != own) {
                each.end();
            }
        }
    }

    // ---------------------------------------------------------------- the test's side

    /** The actor is over: they go without an effect of the behavior. */
    void clear() {
        active.clear();
    }

    Entry named(String name) {
        Entry entry = find(Objects.requireNonNull(name, "name"));
        if (entry == null) {
            throw new AssertionError("no timer " + name + " is active; active: " + active);
        }
        if (entry.isPending) {
            throw new AssertionError(
                    entry + " does not go off again while its message is postponed");
        }
        return entry;
    }

    /**
     * The one that goes off first; null if there is none until then, or none but postponed ones.
     */
    @Nullable Entry earliest(long untilNs) {
        Entry first = null;
        for (Entry each : active) {
            if (!each.isPending
                    && each.dueNs <= untilNs
                    && (first == null || each.dueNs < first.dueNs)) {
                first = each;
            }
        }
        return first;
    }

    /** The time then; the end of all time if it is later. */
    long after(long nanos) {
        return plus(nowNs, nanos);
    }

    private static long plus(long from, long time) {
        return time > Long.MAX_VALUE - from ? Long.MAX_VALUE : from + time;
    }

    void moveTo(long nanos) {
        nowNs = Math.max(nowNs, nanos);
    }

    final class Entry implements ActorTimer, StepContext.Source {
        final M message;
        private final @Nullable String name;
        private final TimerKind kind;
        private final long nanos;
        private long dueNs;

        /** It has gone off, and the behavior is not done with its message. */
        private boolean isPending;

        /** Its message is postponed. */
        private boolean isPostponed;

        Entry(@Nullable String name, TimerKind kind, long nanos, M message) {
            this.name = name;
            this.kind = kind;
            this.nanos = nanos;
            this.message = message;
            this.dueNs = plus(nowNs, nanos);
        }

        long dueNs() {
            return dueNs;
        }

        /** By hand, so perhaps before its time. */
        void goesOff() {
            isPending = true;
            if (kind == TimerKind.FIXED_RATE) {
                dueNs = plus(dueNs, nanos);
            }
        }

        @Override
        public void postponed(boolean isPostponed) {
            this.isPostponed = isPostponed;
        }

        @Override
        public boolean isRevoked() {
            return !active.contains(this);
        }

        @Override
        public void done() {
            isPending = false;
            isPostponed = false;
            if (kind == TimerKind.ONCE || kind == TimerKind.STATE || kind == TimerKind.IDLE) {
                active.remove(this);
            } else if (kind == TimerKind.FIXED_DELAY) {
                dueNs = plus(nowNs, nanos);
            } else if (dueNs <= nowNs) { // times that have passed meanwhile are left out
                dueNs = plus(dueNs, ((nowNs - dueNs) / nanos + 1) * nanos);
            }
        }

        @Override
        public void cancel() {
            if (active.remove(this)) {
                effects.accept(new Effect.TimerCancelled(name, message));
            }
        }

        /** Without the behavior's doing; if its message is in hand, it has come. */
        void end() {
            if (isPending && !isPostponed) {
                active.remove(this);
            } else {
                cancel();
            }
        }

        @Override
        public boolean isActive() {
            return active.contains(this);
        }

        @Override
        public String toString() {
            return (name == null ? "a timer" : name)
                    + " "
                    + kind
                    + " at "
                    + Duration.ofNanos(dueNs)
                    + " with "
                    + message;
        }
    }
}
