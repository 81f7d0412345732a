package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.HasHolder;
import dev.ropewalk.fibers.spi.Hold;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * A block that is run once, by the first caller that needs its result, and whose result everybody
 * gets.
 *
 * <p>A caller that comes while it runs waits. The block runs in the fiber, or plain thread, of the
 * caller that came first, and may wait itself.
 *
 * <ul>
 *   <li>If it throws an {@code Exception}, the caller that ran it and all waiters get a fresh
 *       {@link OnceFailedException}; the next call runs the block again.
 *   <li>If the caller that runs it is terminated, cancelled, restarted or interrupted, that is its
 *       own affair, and the one that waits longest runs the block. The same holds for every other
 *       {@code Error}, which the caller gets as it is, and for a fiber that ends in the block
 *       without leaving it, which is reported.
 * </ul>
 *
 * <p>{@link #get(Duration)} limits the wait for another caller's run, of fibers and threads. The
 * caller that runs the block is not limited by it: a fiber can limit the whole, whether it waits or
 * runs the block, by {@link dev.ropewalk.fibers.CancelScope#cancelAfter}; a plain thread can be
 * interrupted.
 *
 * <p>Everything that the block did happens before {@link #get} returns.
 *
 * @param <T> the type of the result
 */
public final class Once<T extends @Nullable Object> implements Handoff, HasHolder {
    /*
     * States; guarded, except for the first read of "done":
     *
     *   IDLE     -> RUNNING   get: the caller becomes the runner
     *   RUNNING  -> DONE      the block returned; all waiters are told
     *   RUNNING  -> IDLE      the block failed: all waiters are given the failure;
     *                         or the runner left it and there is no waiter
     *   RUNNING  -> RUNNING   the runner left it: the first waiter becomes the runner
     *
     * IDLE: no runner and not done. RUNNING: a runner. DONE: "done" is set, for ever. Invariant:
     * callers wait only while it is RUNNING, so no caller waits for a run that has no runner.
     */

    /** Given to a waiter: run it, or take the result. A Failed is given too. */
    private static final Object RUN = new Object();

    private static final Object RECHECK = new Object();

    private final Exclusion guard;
    private final Callable<? extends T> block;
    private final WaitQueue<Object> queue = new WaitQueue<>();
    private final Run run = new Run();

    /** Guarded. */
    private @Nullable Object runner;

    private volatile @Nullable Done<T> done;

    private record Done<T extends @Nullable Object>(T value) {}

    private record Failed(Exception cause) {}

    private Once(Exclusion guard, Callable<? extends T> block) {
        this.guard = guard;
        this.block = Objects.requireNonNull(block, "block");
    }

    /**
     * {@return a block for fibers of any cord and plain threads}
     *
     * @param <T> the type of the result
     * @param block runs on the cord or thread of the first caller of {@link #get}
     */
    public static <T extends @Nullable Object> Once<T> shared(Callable<? extends T> block) {
        return new Once<>(Exclusion.byLock(), block);
    }

    /**
     * {@return a block for the fibers of the current cord}
     *
     * @param <T> the type of the result
     * @param block runs in the fiber that first calls {@link #get}
     * @throws IllegalStateException if this thread is no cord
     */
    public static <T extends @Nullable Object> Once<T> local(Callable<? extends T> block) {
        return new Once<>(Exclusion.byCord("make it with Once.shared(block)"), block);
    }

    /**
     * Returns the result of the block: runs it, or waits while another caller does, if it is not
     * done yet. A switchpoint, also if it is done.
     *
     * @return what the block returned
     * @throws OnceFailedException if the block threw an exception; fresh for each caller
     * @throws DeadlockException if the caller is running the block: it would wait for itself; or if
     *     its runner waits for the caller, directly or through others of the cord
     * @throws WrongThreadException if it is another cord's
     * @throws IllegalStateException if the thread is a cord and no fiber runs on it at the moment
     * @throws WaitInterruptedException if a plain thread was interrupted
     */
    public T get() {
        return get(Long.MAX_VALUE);
    }

    /**
     * Like {@link #get()}, and waits no longer than the limit while another caller runs the block.
     * The limit does not hold for the block itself: the first caller runs it to its end, and so
     * does a caller to which it is passed on before the limit has passed.
     *
     * @param limit how long to wait for another's run; with zero the others have one turn
     * @return what the block returned
     * @throws FiberTimeoutException if the limit passed; the run goes on, and a later call gets its
     *     result
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws OnceFailedException if the block threw an exception; fresh for each caller
     * @throws DeadlockException if the caller is running the block: it would wait for itself
     * @throws WrongThreadException if it is another cord's
     * @throws IllegalStateException if the thread is a cord and no fiber runs on it at the moment
     * @throws WaitInterruptedException if a plain thread was interrupted
     */
    public T get(Duration limit) {
        return get(Waits.nanos(limit));
    }

    private T get(long limitNanos) {
        Object me = guard.callerAtSwitchpoint(this);
        Object told = done == null ? begin(me, limitNanos) : RECHECK;
        if (told == Waits.TIMED_OUT) {
            throw new FiberTimeoutException(
                    this
                            + " was not done within "
                            + Duration.ofNanos(limitNanos)
                            + "; another caller is still running its block");
        }
        if (told == RUN) {
            return runHere(me);
        }
        if (told instanceof Failed failed) {
            throw new OnceFailedException(this, failed.cause());
        }
        return Objects.requireNonNull(done, "done").value();
    }

    /** {@return whether the result is there; if not, only a hint, because it can change at once} */
    public boolean isDone() {
        return done != null;
    }

    // ---------------------------------------------------------------- inside

    /** {@return the runner of the block, or null} */
    @Override
    public @Nullable Object holder() {
        guard.enter(this);
        try {
            return runner;
        } finally {
            guard.exit();
        }
    }

    private @Nullable Object begin(Object me, long limitNanos) {
        Exclusion.refuseCycle(this, limitNanos);
        WaitNode<Object> node;
        guard.enter(this);
        try {
            if (done != null) {
                return RECHECK;
            }
            if (runner == null) {
                runner = me;
                return RUN;
            }
            if (runner == me) {
                throw new DeadlockException(
                        me
                                + " runs "
                                + this
                                + " and calls it from inside: it would wait for itself. Let the"
                                + " block make its result without it");
            }
            node = guard.node(null);
            queue.add(node);
        } finally {
            guard.exit();
        }
        return guard.await(node, this, limitNanos);
    }

    private T runHere(Object me) {
        run.begin(me);
        T value;
        try {
            value = block.call();
        } catch (WaitInterruptedException | InterruptedException own) {
            passOn(me);
            throw Once.<RuntimeException>sneaky(own);
        } catch (Exception failure) {
            if (Waits.isSignal(failure)) {
                passOn(me);
                throw Once.<RuntimeException>sneaky(failure);
            }
            tellAll(me, null, new Failed(failure));
            throw new OnceFailedException(this, failure);
        } catch (Throwable own) {
            passOn(me);
            throw own;
        }
        tellAll(me, new Done<>(value), RECHECK);
        return value;
    }

    /** An interrupt of the block is its runner's, though {@code get} does not declare it. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> X sneaky(Throwable thrown) throws X {
        throw (X) thrown;
    }

    private void tellAll(Object me, @Nullable Done<T> result, Object told) {
        run.end(me);
        List<WaitNode<Object>> woken;
        guard.enter(this);
        try {
            done = result;
            runner = null;
            woken = queue.claimAll(told);
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(woken);
    }

    /** The runner leaves the block without a result. */
    private void passOn(Object me) {
        run.end(me);
        passOnTheRun();
    }

    private void passOnTheRun() {
        WaitNode<Object> next;
        guard.enter(this);
        try {
            next = queue.claimFirst(RUN);
            runner = next == null ? null : next.who();
        } finally {
            guard.exit();
        }
        if (next != null) {
            next.wake();
        }
    }

    @Override
    public void reclaim(WaitNode<?> node, Object given) {
        if (given == RUN) {
            passOnTheRun();
        }
    }

    /** Held by the runner, so that no caller waits for a dead runner. */
    private final class Run extends Hold {
        void begin(Object me) {
            if (me instanceof Fiber<?> fiber) {
                hold(fiber);
            }
        }

        void end(Object me) {
            if (me instanceof Fiber<?> fiber) {
                letGo(fiber);
            }
        }

        @Override
        protected void onHolderDead(Fiber<?> dead) {
            passOnTheRun();
        }

        @Override
        protected List<?> awaitedAs() {
            return List.of(Once.this);
        }

        @Override
        public String toString() {
            return "the run of " + Once.this;
        }
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
            WaitNode<Object> first = queue.first();
            boolean isForgotten = first != null && first.isWaiting() && runner == null;
            if (isForgotten || (done != null && runner != null)) {
                throw new IllegalStateException(
                        "runner=" + runner + " done=" + done + " first=" + first);
            }
        } finally {
            guard.exit();
        }
    }

    @Override
    public String toString() {
        return (guard.isLocal() ? "local" : "shared")
                + " once @"
                + Integer.toHexString(System.identityHashCode(this));
    }
}
