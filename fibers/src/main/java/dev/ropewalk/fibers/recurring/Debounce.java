package dev.ropewalk.fibers.recurring;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.fiber.FiberAwait;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.FiberMessages;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.internal.report.WaitCycle;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

/**
 * Runs an action once things have become quiet: when nothing has been triggered for a while, with
 * the last value triggered.
 *
 * {@snippet file="dev/ropewalk/fibers/recurring/TimedSnippetsTest.java" region="debounce"}
 *
 * <p>The action runs in a fiber of its own, a child of the fiber that made the debounce, one run at
 * a time; a trigger during a run counts for the next. Its exception is that child's failure, and cancels the parent as any child's does; nothing can be triggered afterwards.
 *
 * <p>A value is pending from its trigger until the action is run with it or a later value takes its
 * place. None is lost silently: {@link #close} runs the action with it, {@link #cancel} hands it
 * back, and if the fiber ends otherwise with a value pending, because it failed or its parent
 * ended, that is reported to the cord's uncaught handler.
 *
 * <p>Confined to the cord of the fiber that made it; any fiber of that cord may trigger.
 *
 * @param <T> the type of the values
 */
public final class Debounce<T> implements AutoCloseable {
    /*
     * The worker waits without a limit while nothing is pending, otherwise until the action is due.
     * Another trigger can only put that off, so only the first wakes the worker; one that wakes too
     * early waits again. So a stream of triggers costs one wake-up per quiet time, not one each.
     *
     * "taken" counts triggers, "done" those that the action was run with or that yielded to a later
     * one it was run with: a flush waits until done has reached what was taken when it came.
     *
     * Rejected: a timer, or a fiber, per trigger that is cancelled by the next; a leading edge
     * without the trailing one, which never sees the last value.
     *
     * Times are nanoseconds since it was made.
     */
    private static final long NEVER = Long.MAX_VALUE;

    private final Cord cord = Cord.current();
    private final long originNs = cord.nanoTime();
    private final long quietNs;
    private final long longestWaitNs;
    private final boolean isLeading;
    private final DebounceAction<? super T> action;
    private final FiberImpl<?> worker;
    private final Set<Flusher> flushers = new LinkedHashSet<>();

    private @Nullable T pending;

    /** When the value that is pending, or one that it replaced, began to be. */
    private long pendingSinceNs;

    private long lastTriggerNs;
    private boolean isDueAtOnce;
    private boolean isAtIt;
    private boolean isClosed;
    private long taken;
    private long done;

    /** Number of the worker's last wait; none yet. */
    private long waitNumber = -1;

    /** One that waits for a flush, and the reason of that wait. */
    private final class Flusher implements WaitCycle.One {
        private final FiberImpl<?> fiber;
        private long waitNumber = -1;

        Flusher(FiberImpl<?> fiber) {
            this.fiber = fiber;
        }

        /** So that an await that closes a circle is found. */
        @Override
        public Fiber<?> awaited() {
            return worker;
        }

        @Override
        public String toString() {
            return Debounce.this.toString();
        }
    }

    private Debounce(DebounceOptions options, DebounceAction<? super T> action) {
        this.quietNs = Waits.nanos(options.quiet());
        this.longestWaitNs = Waits.nanos(options.longestWait());
        this.isLeading = options.isLeading();
        this.action = action;
        Action body = this::work;
        this.worker = FiberImpl.spinOn(FiberImpl.current(), options.name(), Callables.of(body));
        FiberAwait.listen(worker, this::ended);
    }

    // ---------------------------------------------------------------- making one

    /**
     * Makes a debounce and spins its fiber, a child of this one.
     *
     * @param <T> the type of the values
     * @param quiet how long nothing must have been triggered, more than zero
     * @param action runs with the last value when it has become quiet
     * @return the debounce
     * @throws IllegalArgumentException if the time is zero, negative, or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T> Debounce<T> start(Duration quiet, DebounceAction<? super T> action) {
        return start(DebounceOptions.quiet(quiet), action);
    }

    /**
     * Makes a debounce with options and spins its fiber, a child of this one.
     *
     * @param <T> the type of the values
     * @param options when the action runs
     * @param action runs with the last value then
     * @return the debounce
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T> Debounce<T> start(DebounceOptions options, DebounceAction<? super T> action) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(action, "action");
        return new Debounce<>(options, action);
    }

    // ---------------------------------------------------------------- using it

    /**
     * Has the action run with the value when it has become quiet, unless another one is triggered
     * by then, which takes its place. Never switches.
     *
     * @param value what the action is run with
     * @throws IllegalStateException if it is closed, or its fiber has ended; the value was not
     *     taken then
     * @throws WrongThreadException if called on another cord
     */
    public void trigger(T value) {
        Objects.requireNonNull(value, "value");
        worker.checkCord("trigger");
        if (isClosed || worker.outcome() != null) {
            throw new IllegalStateException(
                    this
                            + (isClosed ? " is closed" : " is over, because its fiber has ended")
                            + "; value="
                            + FiberImpl.textOf(value)
                            + " was not taken",
                    worker.failure());
        }
        long nowNs = now();
        boolean wasQuiet = taken == 0 || nowNs - lastTriggerNs >= quietNs;
        boolean wasPending = pending != null;
        if (!wasPending) {
            pendingSinceNs = nowNs;
        }
        pending = value;
        lastTriggerNs = nowNs;
        taken++;
        if (isLeading && wasQuiet) {
            isDueAtOnce = true;
        }
        if (!wasPending) {
            worker.resume(waitNumber, null);
        }
    }

    /**
     * Runs the action now if a value is pending, and waits until it has been run with all that was
     * triggered before. A switchpoint, also if there is nothing to wait for. If this fiber is ended
     * or cancelled meanwhile it waits no longer; the action is run all the same. An action that
     * restarts its fiber has been run.
     *
     * @return false if nothing was pending and the action is not at it; so it is when all is over
     * @throws FiberFailedException if the action failed instead; it is this caller's failure then,
     *     and not the parent's
     * @throws FiberTerminatedException if its fiber was terminated instead, or the value was handed
     *     back by {@link #cancel}
     * @throws IllegalStateException if called by the action itself, or if no fiber runs on this
     *     thread
     * @throws DeadlockException if the action waits for this fiber, directly or through others
     * @throws WrongThreadException if called on another cord
     */
    public boolean flush() {
        FiberImpl<?> fiber = FiberImpl.of(caller("flush"));
        fiber.switchpoint();
        if (worker.outcome() != null || (pending == null && !isAtIt)) {
            return false;
        }
        WaitCycle.check(fiber, worker);
        long upTo = taken;
        hurry();
        Flusher flusher = new Flusher(fiber);
        flushers.add(flusher);
        try {
            while (done < upTo && worker.outcome() == null) {
                flusher.waitNumber = fiber.nextWaitNumber();
                fiber.park(WaitKind.LIBRARY, flusher);
            }
        } finally {
            flushers.remove(flusher);
        }
        if (done < upTo) {
            FiberAwait.takeEnded(worker);
            throw new IllegalStateException(this + " ended before it was flushed");
        }
        return true;
    }

    /**
     * Takes no more triggers, runs the action now if a value is pending, and waits until it is done
     * and the fiber of the debounce has ended. A switchpoint. If this fiber is ended or cancelled
     * meanwhile it waits no longer; the action is run all the same, as long as the parent of its
     * fiber lives. Closing twice is harmless.
     *
     * @throws FiberFailedException if the action failed meanwhile; it is this caller's failure then
     * @throws FiberTerminatedException if its fiber was terminated meanwhile
     * @throws IllegalStateException if called by the action itself, or if no fiber runs on this
     *     thread
     * @throws DeadlockException if called by a fiber below that of the action, which would have to
     *     end before it, or if the action waits for this fiber; nothing was changed then
     * @throws WrongThreadException if called on another cord
     */
    @Override
    public void close() {
        checkNotBelow(FiberImpl.of(caller("close")));
        boolean isFirst = !isClosed;
        isClosed = true;
        if (worker.outcome() != null) {
            return;
        }
        hurry();
        if (isFirst) {
            worker.await();
        } else {
            worker.awaitEnd(Waits.FOREVER);
        }
    }

    /**
     * Takes no more triggers, hands back the value that is pending, and terminates the action if it
     * is at it. Does not wait. No effect on what is closed and over.
     *
     * @return the value that the action was not run with; null if there is none
     * @throws WrongThreadException if called on another cord
     */
    public @Nullable T cancel() {
        worker.checkCord("cancel");
        isClosed = true;
        T left = pending;
        pending = null;
        worker.terminate();
        return left;
    }

    // ---------------------------------------------------------------- its fiber

    private void work() throws Exception {
        if (pending == null) {
            done = taken; // the action has restarted this fiber
            wakeFlushers();
        }
        for (; ; ) {
            T value = pending;
            long leftNs = value == null ? NEVER : dueNs() - now();
            if (value == null && isClosed) {
                return;
            } else if (value == null || leftNs > 0) {
                waitNumber = worker.nextWaitNumber();
                worker.parkFor(WaitKind.LIBRARY, this, leftNs);
            } else {
                run(value);
                worker.yieldHere(); // an action that never waits and triggers itself
            }
        }
    }

    /**
     * 0 if it is due whatever the time; otherwise never more than what is left of the longest wait.
     */
    private long dueNs() {
        if (isDueAtOnce || isClosed) {
            return 0;
        }
        return Math.min(
                Timed.plus(lastTriggerNs, quietNs), Timed.plus(pendingSinceNs, longestWaitNs));
    }

    private void run(T value) throws Exception {
        long upTo = taken;
        pending = null;
        isDueAtOnce = false;
        isAtIt = true;
        try {
            action.run(value);
        } finally {
            isAtIt = false;
        }
        done = upTo;
        wakeFlushers();
    }

    private void hurry() {
        isDueAtOnce = pending != null;
        worker.resume(waitNumber, null);
    }

    /** The worker is over. A caller that flushes takes its failure. */
    private boolean ended(Fiber<?> dead) {
        boolean isTaken = wakeFlushers();
        T lost = pending;
        pending = null;
        if (lost != null) {
            String text =
                    this
                            + " ended with a value that its action was not run with: "
                            + FiberImpl.textOf(lost)
                            + "; close or cancel it before its parent ends";
            FiberMessages.reportLater(FiberImpl.of(dead), new IllegalStateException(text));
        }
        return isTaken;
    }

    /** False if there was none. */
    private boolean wakeFlushers() {
        boolean hasWoken = false;
        for (Flusher each : flushers) {
            hasWoken |= FiberImpl.of(each.fiber).resume(each.waitNumber, null);
        }
        return hasWoken;
    }

    private Fiber<?> caller(String operation) {
        worker.checkCord(operation);
        FiberImpl<?> fiber = FiberImpl.current();
        if (fiber == worker) {
            throw new IllegalStateException(
                    operation
                            + " of "
                            + this
                            + " by its own action would wait for itself; call it in another fiber,"
                            + " or cancel() here");
        }
        return fiber;
    }

    private void checkNotBelow(FiberImpl<?> closer) {
        if (worker.outcome() != null) {
            return;
        }
        for (FiberImpl<?> each = closer; each != null; each = each.parentOrNull()) {
            if (each == worker) {
                throw new DeadlockException(
                        closer
                                + " cannot close "
                                + this
                                + " and wait for its end: it is a fiber below that of the action,"
                                + " which would have to end before; cancel() it, or close it"
                                + " elsewhere");
            }
        }
        WaitCycle.check(closer, worker);
    }

    private long now() {
        return cord.nanoTime() - originNs;
    }

    @Override
    public String toString() {
        return "debounce in " + worker;
    }
}
