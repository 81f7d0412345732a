package dev.ropewalk.channels.internal;

import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Ticks at fixed times from its start on. Nothing runs between them: the tick that is due is
 * computed when it is asked for, and a wait for the next one is a wait with a limit. The idea is
 * that of crossbeam's {@code tick} and {@code after}.
 */
public final class TickPort extends ReceiveSide<Long> {
    private final Exclusion guard = Exclusion.byLock();
    private final WaitQueue<Long> receivers = new WaitQueue<>();
    private final long startNs = Waits.nanoTime();
    private final long periodNs;
    private final boolean isSingle;

    /** Guarded: the number of the tick that is received next. */
    private long next = 1;

    private boolean isClosed;
    private @Nullable Throwable cause;

    /** Are told of the end; guarded. */
    private List<Runnable> watchers = List.of();

    public TickPort(Duration period, boolean isSingle) {
        this.periodNs = Waits.nanos(period);
        this.isSingle = isSingle;
        if (periodNs == 0 && !isSingle) {
            throw new IllegalArgumentException("period=" + period + "; give a time above 0");
        }
    }

    // ---------------------------------------------------------------- guarded

    private Object take() {
        if (isClosed) {
            return CLOSED;
        }
        long dueInNs = dueInNanos();
        if (dueInNs > 0) {
            return NOTHING;
        }
        long number = next;
        if (isSingle) {
            isClosed = true;
        } else {
            number += -dueInNs / periodNs; // those that were missed are not made up for
            next = number + 1;
        }
        return number;
    }

    private long dueInNanos() {
        return startNs + next * periodNs - Waits.nanoTime();
    }

    // ---------------------------------------------------------------- calls

    @Override
    public Object takeNow() {
        guard.enter(this);
        try {
            return take();
        } finally {
            guard.exit();
        }
    }

    /** The newest one at most: those before it were missed, and the next may be due right then. */
    @Override
    public List<Long> drain() {
        Object taken = takeNow();
        return taken instanceof Long number ? List.of(number) : List.of();
    }

    @Override
    public Object receiveWithin(long limitNanos) {
        Selection<Object> selection =
                new Selection<>(List.of(this.<Object>receiveClause(taken -> taken)), false);
        return selection.await(limitNanos) ? selection.result() : Waits.TIMED_OUT;
    }

    @Override
    public @Nullable Throwable closeCause() {
        return cause;
    }

    @Override
    public void cancel() {
        end(null);
    }

    @Override
    public void cancel(Throwable why) {
        end(Objects.requireNonNull(why, "cause"));
    }

    private void end(@Nullable Throwable why) {
        List<WaitNode<Long>> toWake;
        List<Runnable> toTell;
        guard.enter(this);
        try {
            if (!isClosed) {
                isClosed = true;
                cause = why;
            }
            toWake = receivers.claimAll(CLOSED);
            toTell = watchers;
            watchers = List.of();
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
        toTell.forEach(Runnable::run);
    }

    @Override
    public boolean isDrained() {
        return isClosed(); // nothing is kept
    }

    @Override
    public void onEnd(Runnable told) {
        boolean isOver;
        guard.enter(this);
        try {
            isOver = isClosed;
            if (!isOver) {
                List<Runnable> more = new ArrayList<>(watchers);
                more.add(told);
                watchers = more;
            }
        } finally {
            guard.exit();
        }
        if (isOver) {
            told.run();
        }
    }

    @Override
    public boolean isClosed() {
        guard.enter(this);
        try {
            return isClosed;
        } finally {
            guard.exit();
        }
    }

    @Override
    protected <R extends @Nullable Object> Clause<R> receiveClause(
            Function<Object, ? extends R> made) {
        return new TickClause<>(made);
    }

    private final class TickClause<R extends @Nullable Object> implements Clause<R> {
        private final Function<Object, ? extends R> made;

        TickClause(Function<Object, ? extends R> made) {
            this.made = made;
        }

        @Override
        public Exclusion guard() {
            return guard;
        }

        @Override
        public boolean isLocal() {
            return false; // others may cancel it
        }

        @Override
        public boolean isReady() {
            return isClosed || dueInNanos() <= 0;
        }

        @Override
        public long readyInNanos() {
            return Math.max(0, dueInNanos());
        }

        @Override
        public Object take(Selection<?> by) {
            Object taken = TickPort.this.take();
            return taken == NOTHING ? NOT_READY : taken;
        }

        @Override
        public WaitNode.Place<?> stand(WaitNode<?> wait) {
            WaitNode.Place<Long> place = wait.place(null);
            receivers.add(place);
            return place;
        }

        @Override
        public R result(@Nullable Object given) {
            return made.apply(Objects.requireNonNull(given));
        }

        @Override
        public String toString() {
            return "a tick of " + TickPort.this;
        }
    }

    @Override
    public String toString() {
        return (isSingle ? "after " : "ticker of ")
                + Duration.ofNanos(periodNs)
                + " @"
                + Integer.toHexString(System.identityHashCode(this));
    }
}
