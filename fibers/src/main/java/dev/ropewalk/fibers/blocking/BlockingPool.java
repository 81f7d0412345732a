package dev.ropewalk.fibers.blocking;

import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.VoidBlock;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.context.SwitchHooks;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Runs code that blocks its thread on virtual threads, with bounds of its own, while the fibers
 * that called wait (rule F12). {@link Blocking} is the default pool.
 *
 * <p>A call that finds no place waits for one, first in, first out; a call that finds too many
 * waiting is refused, so that the caller sees the pressure. A caller that leaves while it waits for
 * a place takes its call with it; one that leaves later interrupts the code. On a virtual clock,
 * and on a thread that is no cord, code runs inline and counts for no bound.
 */
public final class BlockingPool implements AutoCloseable {
    /*
     * A call is in one place at a time, all of it guarded by the pool's lock:
     *
     *   queue    -> started   a place was free; "places" counts it
     *   queue    -> gone      the fiber left, or the pool was closed: the code never runs
     *   started  -> over      the code has returned: the place is free, the result is handed over
     *   started  -> left      it ignored its interrupt for the stop limit: the place is free
     *   over     -> gone      the result was taken, or the hook for untaken results has returned
     *
     * Invariants: places <= maxConcurrency; the queue is empty unless all places are taken. The
     * place is given back before the result is, so that a caller that has its result finds a place
     * again; "alive" holds a call until it is gone, or left, and close waits for that set to be
     * empty.
     */
    private static final Log LOG = Logs.logger(BlockingPool.class);

    private final BlockingOptions options;
    private final long stopLimitNs;
    private final Object lock = new Object();
    private final ArrayDeque<BlockingCall<?>> queue = new ArrayDeque<>();
    private final Set<BlockingCall<?>> alive = new LinkedHashSet<>();
    private final List<WaitCell> closers = new ArrayList<>();
    private int places;
    private boolean isClosed;

    /**
     * A pool.
     *
     * @param options its name, bounds and hook
     */
    public BlockingPool(BlockingOptions options) {
        this.options = options;
        this.stopLimitNs = Waits.nanos(options.stopLimit());
    }

    /**
     * Runs the code on a virtual thread and waits for its result. A switchpoint. On a virtual
     * clock, and on a thread that is no cord, it runs inline.
     *
     * <p>Terminating, cancelling or raising into the waiting fiber interrupts the code, waits up to
     * the stop limit for it to return, and then abandons it with a report. A result without a taker
     * goes to the hook of the options. A time limit is given by {@link CancelScope#cancelAfter}.
     *
     * @param <T> the type of the result
     * @param <X> what the code throws
     * @param code what blocks; must not touch data of the cord
     * @return what the code returned
     * @throws X what the code threw
     * @throws BlockingRejectedException if too many callers wait, or the pool is closed, even while
     *     this call waits for its place
     * @throws IllegalStateException if the pool was closed and the code ignored its interrupt; if
     *     the thread is a cord and no fiber runs on it at the moment
     */
    public <T extends @Nullable Object, X extends Exception> T call(Block<? extends T, X> code)
            throws X {
        Objects.requireNonNull(code, "code");
        Cord cord = Cord.currentOrNull();
        if (cord != null) {
            Fiber<?> _ = Fiber.current(); // a cord on which none runs is not to be blocked
            Waits.switchpoint();
        }
        if (cord == null || CordImpl.of(cord).isVirtual()) {
            checkOpen();
            return code.run();
        }
        BlockingCall<T> call =
                new BlockingCall<>(this, SwitchHooks.carried(CordImpl.of(cord), code));
        submit(call);
        return call.await();
    }

    /**
     * Like {@link #call}, without a result.
     *
     * @param <X> what the code throws
     * @param code what blocks; must not touch data of the cord
     * @throws X what the code threw
     * @throws BlockingRejectedException if too many callers wait, or the pool is closed, even while
     *     this call waits for its place
     * @throws IllegalStateException if the pool was closed and the code ignored its interrupt; if
     *     the thread is a cord and no fiber runs on it at the moment
     */
    public <X extends Exception> void run(VoidBlock<X> code) throws X {
        Objects.requireNonNull(code, "code");
        this.<@Nullable Object, X>call(
                () -> {
                    code.run();
                    return null;
                });
    }

    // ---------------------------------------------------------------- closing

    /**
     * Like {@link #close(Duration)}, with the stop limit; calls that are left behind are logged. A
     * second close waits like the first.
     *
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited; the calls
     *     were interrupted then
     */
    @Override
    public void close() {
        close(options.stopLimit());
    }

    /**
     * Takes no more calls and waits for those there are. After the limit the running ones are
     * interrupted, and the callers that still wait for a place get a {@link
     * BlockingRejectedException}. A call that does not end within the stop limit either is left
     * behind, and its caller gets an {@code IllegalStateException}. Works from any thread. A
     * switchpoint if a call is running; terminating the closing fiber does not shorten it.
     *
     * @param limit how long calls may go on before they are interrupted
     * @return the names of the fibers whose calls did not stop; also logged
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited; the calls
     *     were interrupted then, and their callers let go
     */
    public List<String> close(Duration limit) {
        long limitNs = Waits.nanos(limit);
        synchronized (lock) {
            isClosed = true;
        }
        List<String> stubborn = new ArrayList<>();
        Fiber<?> closer = Fiber.currentOrNull();
        if (closer == null) {
            end(limitNs, stubborn);
        } else {
            Waits.cleanUp(() -> end(limitNs, stubborn));
        }
        if (!stubborn.isEmpty()) {
            LOG.warn("{} was closed; calls of {} ignored their interrupt", this, stubborn);
        }
        return stubborn;
    }

    private boolean end(long limitNs, List<String> stubborn) {
        boolean idle = false;
        try {
            idle = awaitIdle(limitNs);
        } finally {
            if (!idle) {
                refuseAndInterrupt();
                letCallersGo(stubborn); // also if this thread was interrupted: no other thread does
                // it
            }
        }
        return true;
    }

    private void letCallersGo(List<String> stubborn) {
        long beganNs = Waits.nanoTime(); // an interrupt begins the wait again, and not the limit
        if (!Waits.cleanUp(
                () -> awaitIdle(Math.max(0, stopLimitNs - (Waits.nanoTime() - beganNs))))) {
            for (BlockingCall<?> left : leftBehind()) {
                stubborn.add(left.callerName());
                left.give(BlockingCall.LEFT_BEHIND);
            }
        }
    }

    private boolean awaitIdle(long limitNs) {
        WaitCell waiter;
        synchronized (lock) {
            if (isIdle()) {
                return true;
            }
            waiter = new WaitCell();
            closers.add(waiter);
        }
        try {
            return waiter.await(this, limitNs) != Waits.TIMED_OUT;
        } finally {
            synchronized (lock) {
                closers.remove(waiter);
            }
        }
    }

    private void refuseAndInterrupt() {
        List<BlockingCall<?>> refused;
        synchronized (lock) {
            refused = List.copyOf(queue);
            refused.forEach(BlockingCall::refuse);
            queue.clear();
            alive.forEach(BlockingCall::interrupt);
        }
        refused.forEach(call -> call.give(BlockingCall.REFUSED));
        wakeClosersIfIdle();
    }

    private List<BlockingCall<?>> leftBehind() {
        List<BlockingCall<?>> left;
        synchronized (lock) {
            left = List.copyOf(alive);
        }
        left.forEach(this::abandon);
        return left;
    }

    private boolean isIdle() {
        return alive.isEmpty() && queue.isEmpty();
    }

    private void wakeClosersIfIdle() {
        List<WaitCell> toWake = List.of();
        synchronized (lock) {
            if (isIdle() && !closers.isEmpty()) {
                toWake = List.copyOf(closers);
            }
        }
        toWake.forEach(closer -> closer.give(null));
    }

    // ---------------------------------------------------------------- for people

    /**
     * {@return how many calls have a thread now; for people, because it can change at once} From
     * any thread.
     */
    public int running() {
        synchronized (lock) {
            return alive.size();
        }
    }

    /**
     * {@return how many calls wait for a thread; for people, because it can change at once} From
     * any thread.
     */
    public int pending() {
        synchronized (lock) {
            return queue.size();
        }
    }

    // ---------------------------------------------------------------- for its calls

    private void checkOpen() {
        synchronized (lock) {
            if (isClosed) {
                throw closed();
            }
        }
    }

    private void submit(BlockingCall<?> call) {
        synchronized (lock) {
            if (isClosed) {
                throw closed();
            }
            if (places == options.maxConcurrency()) {
                if (queue.size() >= options.maxPending()) {
                    throw full();
                }
                queue.add(call);
                return;
            }
            places++;
            alive.add(call);
        }
        call.start();
    }

    /** Gives the place to the next in the queue; once for each call that was started. */
    void leavePlace(BlockingCall<?> call) {
        BlockingCall<?> next;
        synchronized (lock) {
            if (!call.takePlace()) {
                return;
            }
            next = queue.poll();
            if (next == null) {
                places--;
            } else {
                alive.add(next);
            }
        }
        if (next != null) {
            next.start();
        }
    }

    /** The call has returned, and its result is where it belongs. */
    void gone(BlockingCall<?> call) {
        synchronized (lock) {
            alive.remove(call);
        }
        wakeClosersIfIdle();
    }

    void abandon(BlockingCall<?> call) {
        leavePlace(call);
        gone(call);
    }

    /** Takes the call out of the queue, or interrupts it; false if it was in the queue. */
    boolean interruptUnlessQueued(BlockingCall<?> call) {
        boolean wasQueued;
        synchronized (lock) {
            wasQueued = queue.remove(call) || call.isRefused();
            if (!wasQueued) {
                call.interrupt();
            }
        }
        if (wasQueued) {
            wakeClosersIfIdle();
        }
        return !wasQueued;
    }

    /** Guards a call's thread and its flags. */
    Object lock() {
        return lock;
    }

    BlockingOptions options() {
        return options;
    }

    long stopLimitNs() {
        return stopLimitNs;
    }

    void undelivered(Object result, Fiber<?> caller) {
        try {
            options.undelivered().undelivered(result);
        } catch (Throwable e) {
            LOG.warn("the untaken result of a call of {} in {}", caller, this, e);
        }
    }

    BlockingRejectedException closed() {
        return new BlockingRejectedException(
                this + " is closed and runs no more calls; close it after its callers");
    }

    private BlockingRejectedException full() {
        return new BlockingRejectedException(
                this
                        + " is full: maxConcurrency="
                        + options.maxConcurrency()
                        + " calls run and maxPending="
                        + options.maxPending()
                        + " wait; call it from fewer fibers, try again later, or raise a bound");
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        synchronized (lock) {
            boolean hasFreePlace = places < options.maxConcurrency();
            if (places > options.maxConcurrency() || (hasFreePlace && !queue.isEmpty())) {
                throw new IllegalStateException("places=" + places + " queue=" + queue.size());
            }
        }
    }

    /** Fails if a call has left something behind; for tests. */
    void checkIdle() {
        synchronized (lock) {
            if (places != 0 || !isIdle() || !closers.isEmpty()) {
                throw new IllegalStateException(
                        "places=" + places + " alive=" + alive + " queue=" + queue);
            }
        }
    }

    @Override
    public String toString() {
        return "blocking pool " + options.name();
    }
}
