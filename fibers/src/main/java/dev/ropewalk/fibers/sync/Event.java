package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Something that happens, and that fibers or plain threads wait for.
 *
 * <p>There are two kinds. An automatic event lets one waiter go for each signal, the one that waits
 * longest; without a waiter, one signal is remembered for the next caller, and further signals add
 * nothing to it. A manual event lets all callers go from its signal on, until {@link #clear}.
 *
 * <p>A waiter that times out, or is terminated or cancelled, takes no signal with it. Everything
 * done before a signal happens before everything that follows the wait that it ends.
 */
public final class Event implements Handoff {
    /*
     * Invariant, outside the guard: if it is signalled, no node in the queue still waits. So a
     * waiter that gives up need not serve those behind it, and a newcomer that finds a signal
     * overtakes no waiter.
     */
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final Exclusion guard;
    private final boolean isManual;
    private final WaitQueue<Event> queue = new WaitQueue<>();

    /** Guarded. */
    private boolean isSignalled;

    private Event(Exclusion guard, boolean isManual) {
        this.guard = guard;
        this.isManual = isManual;
    }

    // ---------------------------------------------------------------- making one

    /** {@return an automatic event for fibers of any cord and plain threads} */
    public static Event shared() {
        return new Event(Exclusion.byLock(), false);
    }

    /** {@return a manual event for fibers of any cord and plain threads} */
    public static Event sharedManual() {
        return new Event(Exclusion.byLock(), true);
    }

    /**
     * {@return an automatic event for the fibers of the current cord}
     *
     * @throws IllegalStateException if this thread is no cord
     */
    public static Event local() {
        return new Event(Exclusion.byCord("make it with Event.shared()"), false);
    }

    /**
     * {@return a manual event for the fibers of the current cord}
     *
     * @throws IllegalStateException if this thread is no cord
     */
    public static Event localManual() {
        return new Event(Exclusion.byCord("make it with Event.sharedManual()"), true);
    }

    // ---------------------------------------------------------------- waiting

    /**
     * Waits until the event is signalled, and takes the signal if the event is automatic. A
     * switchpoint even if it is signalled now: if the fiber is terminated or cancelled, this throws
     * and no signal is taken.
     *
     * @throws WrongThreadException if the event is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public void await() {
        awaitWithin(NO_LIMIT);
    }

    /**
     * Like {@link #await()}, no longer than the limit.
     *
     * @param limit how long to wait
     * @return false if the limit passed; no signal was taken then
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws WrongThreadException if the event is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public boolean await(Duration limit) {
        return awaitWithin(Waits.nanos(limit));
    }

    private boolean awaitWithin(long limitNs) {
        WaitNode<Event> node;
        guard.enterAtSwitchpoint(this);
        try {
            if (take()) {
                return true;
            }
            node = guard.node(this);
            queue.add(node);
        } finally {
            guard.exit();
        }
        return guard.await(node, this, limitNs) == this;
    }

    /**
     * Waits until one of the events is signalled, and takes the signal of that event only; the
     * others stay as they are. A switchpoint even if one is signalled now: if the fiber is
     * terminated or cancelled, this throws and no signal is taken.
     *
     * @param events at least one; shared or local, in any mix
     * @return the event whose signal ended the wait; of those that are signalled already, the first
     *     in the list
     * @throws IllegalArgumentException if the list is empty
     * @throws WrongThreadException if one is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public static Event awaitAny(List<Event> events) {
        return Objects.requireNonNull(awaitAnyWithin(events, NO_LIMIT));
    }

    /**
     * Like {@link #awaitAny(List)}, no longer than the limit.
     *
     * @param events at least one; shared or local, in any mix
     * @param limit how long to wait
     * @return the event whose signal ended the wait; null if the limit passed, and no signal was
     *     taken then
     * @throws IllegalArgumentException if the list is empty, or the limit is negative or longer
     *     than 292 years
     * @throws WrongThreadException if one is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public static @Nullable Event awaitAny(List<Event> events, Duration limit) {
        return awaitAnyWithin(events, Waits.nanos(limit));
    }

    private static @Nullable Event awaitAnyWithin(List<Event> events, long limitNs) {
        if (events.isEmpty()) {
            throw new IllegalArgumentException("events=[]: give at least one event");
        }
        List<Clause<Event>> clauses =
                events.stream().map(each -> each.onSignal(() -> each)).toList();
        Selection<Event> selection = new Selection<>(clauses, true);
        return selection.await(limitNs) ? selection.result() : null;
    }

    /**
     * {@return an alternative of a select: to take a signal}
     *
     * @param <R> the type of the select's result
     * @param taken makes the result; runs in the caller of the select
     */
    public <R extends @Nullable Object> Clause<R> onSignal(Supplier<? extends R> taken) {
        return new OnSignal<>(Objects.requireNonNull(taken, "taken"));
    }

    // ---------------------------------------------------------------- signalling

    /**
     * Signals the event: lets the one that waits longest go, or all if it is manual. Never
     * switches. Needs no fiber, so a message to the cord may call it.
     *
     * @throws WrongThreadException if the event is another cord's
     */
    public void signal() {
        List<WaitNode<Event>> toWake;
        guard.enter(this);
        try {
            toWake = isManual ? queue.claimAll(this) : claimOne();
            isSignalled = isManual || toWake.isEmpty();
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
    }

    /** Guarded. */
    private List<WaitNode<Event>> claimOne() {
        WaitNode<Event> first = queue.claimFirst(this);
        return first == null ? List.of() : List.of(first);
    }

    /**
     * Takes the signal back: later callers wait. No effect if it is not signalled. Never switches.
     *
     * @throws WrongThreadException if the event is another cord's
     */
    public void clear() {
        guard.enter(this);
        try {
            isSignalled = false;
        } finally {
            guard.exit();
        }
    }

    /**
     * {@return whether the next caller need not wait; if shared only a hint, because it can change
     * at once}
     *
     * @throws WrongThreadException if the event is another cord's
     */
    public boolean isSignalled() {
        guard.enter(this);
        try {
            return isSignalled;
        } finally {
            guard.exit();
        }
    }

    /** Guarded. */
    private boolean take() {
        if (!isSignalled) {
            return false;
        }
        isSignalled = isManual;
        return true;
    }

    // ---------------------------------------------------------------- for tests

    /** How many stand in the queue. */
    int waiting() {
        guard.enter(this);
        try {
            return queue.size();
        } finally {
            guard.exit();
        }
    }

    /** Fails if its structures are broken. */
    void checkInvariants() {
        guard.enter(this);
        try {
            queue.checkInvariants();
            WaitNode<Event> first = queue.first();
            if (isSignalled && first != null && first.isWaiting()) {
                throw new IllegalStateException(first + " waits for " + this + ", is signalled");
            }
        } finally {
            guard.exit();
        }
    }

    @Override
    public void reclaim(WaitNode<?> node, Object given) {
        if (given == this && !isManual) {
            signal();
        }
    }

    @Override
    public String toString() {
        return (guard.isLocal() ? "local" : "shared")
                + (isManual ? " manual" : "")
                + " event @"
                + Integer.toHexString(System.identityHashCode(this));
    }

    private final class OnSignal<R extends @Nullable Object> implements Clause<R> {
        private final Supplier<? extends R> taken;

        OnSignal(Supplier<? extends R> taken) {
            this.taken = taken;
        }

        @Override
        public Exclusion guard() {
            return guard;
        }

        @Override
        public boolean isLocal() {
            return guard.isLocal();
        }

        @Override
        public boolean isReady() {
            return isSignalled;
        }

        @Override
        public Object take(Selection<?> by) {
            return Event.this.take() ? Event.this : NOT_READY;
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            WaitNode.Place<Event> place = wait.place(Event.this);
            queue.add(place);
            return place;
        }

        @Override
        public R result(@Nullable Object given) {
            return taken.get();
        }

        @Override
        public void reclaim(WaitNode.Place<?> place) {
            Event.this.reclaim(place, Event.this);
        }

        @Override
        public String toString() {
            return "the signal of " + Event.this;
        }
    }
}
