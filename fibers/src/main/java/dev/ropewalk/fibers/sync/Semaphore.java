package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.VoidBlock;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * A number of permits that fibers, or plain threads, acquire and release.
 *
 * <p>Strictly first in, first out: permits go to the one that waits longest, and a later request
 * for few never overtakes an earlier one for many. A waiter that times out, or is terminated or
 * cancelled, takes no permit, and those behind it are served if there is enough for them.
 *
 * <p>Permits have no holder: the caller that releases need not be the one that acquired, and a
 * fiber that ends without releasing is not noticed. A permit that is acquired for a fiber that is
 * yet to be spun is handed over by {@link #spin(String, Callable)}. Where one holds at a time, a
 * {@link Mutex} knows more.
 *
 * <p>Everything done before a release happens before everything that follows the acquire that it
 * serves.
 */
public final class Semaphore implements Handoff {
    /*
     * Invariant, outside the guard: the first in the queue that still waits wants more than is
     * available. Everything that could break it serves the queue: a release, and a waiter that
     * leaves the queue without its permits, because the one behind it may want less. An abandoned
     * fiber cannot do so; it is done for it.
     *
     * Rejected: a count of permits changed by compare-and-set as a short way around the guard. Then
     * a newcomer gets in between "permits came back" and "the first in the queue has them".
     */
    private static final Object ACQUIRED = new Object();
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final Exclusion guard;
    private final int bound;
    private final WaitQueue<Integer> queue = new WaitQueue<>();

    /** Guarded. */
    private int available;

    private Semaphore(Exclusion guard, int permits, int bound) {
        if (permits < 0 || bound < 1 || permits > bound) {
            throw new IllegalArgumentException(
                    "permits="
                            + permits
                            + " bound="
                            + bound
                            + ": there must be 0 permits or more, and a bound of at least 1 and of"
                            + " no fewer than the permits");
        }
        this.guard = guard;
        this.available = permits;
        this.bound = bound;
    }

    // ---------------------------------------------------------------- making one

    /**
     * {@return a semaphore for fibers of any cord and plain threads, with never more permits than
     * these}
     *
     * @param permits how many there are, at least 1
     * @throws IllegalArgumentException if there are fewer
     */
    public static Semaphore shared(int permits) {
        return new Semaphore(Exclusion.byLock(), permits, permits);
    }

    /**
     * {@return a semaphore for fibers of any cord and plain threads}
     *
     * @param permits how many there are at first, 0 or more
     * @param bound the maximum there may ever be; {@code Integer.MAX_VALUE} if there is no other
     * @throws IllegalArgumentException if permits is negative, or bound below 1 or below permits
     */
    public static Semaphore shared(int permits, int bound) {
        return new Semaphore(Exclusion.byLock(), permits, bound);
    }

    /**
     * {@return a semaphore for the fibers of the current cord, with never more permits than these}
     *
     * @param permits how many there are, at least 1
     * @throws IllegalArgumentException if there are fewer
     * @throws IllegalStateException if this thread is no cord
     */
    public static Semaphore local(int permits) {
        return local(permits, permits);
    }

    /**
     * {@return a semaphore for the fibers of the current cord}
     *
     * @param permits how many there are at first, 0 or more
     * @param bound the maximum there may ever be; {@code Integer.MAX_VALUE} if there is no other
     * @throws IllegalArgumentException if permits is negative, or bound below 1 or below permits
     * @throws IllegalStateException if this thread is no cord
     */
    public static Semaphore local(int permits, int bound) {
        return new Semaphore(
                Exclusion.byCord("make it with Semaphore.shared(...)"), permits, bound);
    }

    // ---------------------------------------------------------------- acquiring

    /**
     * Acquires one permit, waiting for it if need be. A switchpoint, also if it need not wait.
     *
     * @throws WrongThreadException if the semaphore is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public void acquire() {
        acquireWithin(1, NO_LIMIT);
    }

    /**
     * Acquires permits, all at once, waiting for them if there are too few, or another caller waits
     * already. A switchpoint even if it does not wait: if the fiber is terminated or cancelled,
     * this throws and no permit is acquired.
     *
     * @param n how many, at least 1
     * @throws IllegalArgumentException if n is less than 1, or more than there can ever be
     * @throws WrongThreadException if the semaphore is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public void acquire(int n) {
        acquireWithin(n, NO_LIMIT);
    }

    /**
     * Acquires permits, all at once, waiting for them no longer than the limit. A switchpoint, also
     * if it need not wait.
     *
     * @param n how many, at least 1
     * @param limit how long to wait
     * @return false if the limit passed; nothing was acquired then
     * @throws IllegalArgumentException if n is less than 1, or more than there can ever be, or the
     *     limit is negative or longer than 292 years
     * @throws WrongThreadException if the semaphore is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public boolean acquire(int n, Duration limit) {
        return acquireWithin(n, Waits.nanos(limit));
    }

    /**
     * Acquires permits if they are available now and no caller waits. Never switches, never
     * overtakes, and raises nothing.
     *
     * @param n how many, at least 1
     * @return false if nothing was acquired
     * @throws IllegalArgumentException if n is less than 1, or more than there can ever be
     * @throws WrongThreadException if the semaphore is another cord's
     */
    public boolean tryAcquire(int n) {
        checkWanted(n);
        if (takeAlone(n)) {
            return true;
        }
        serve();
        return takeAlone(n);
    }

    private boolean acquireWithin(int n, long limitNs) {
        checkWanted(n);
        if (takeAtSwitchpoint(n)) {
            return true;
        }
        serve();
        WaitNode<Integer> node;
        guard.enter(this);
        try {
            if (take(n)) {
                return true;
            }
            node = guard.node(n);
            queue.add(node);
        } finally {
            guard.exit();
        }
        Object result = Waits.TIMED_OUT;
        try {
            result = guard.await(node, this, limitNs);
        } finally {
            if (result != ACQUIRED) {
                serve();
            }
        }
        return result == ACQUIRED;
    }

    private boolean takeAlone(int n) {
        guard.enter(this);
        try {
            return take(n);
        } finally {
            guard.exit();
        }
    }

    private boolean takeAtSwitchpoint(int n) {
        guard.enterAtSwitchpoint(this);
        try {
            return take(n);
        } finally {
            guard.exit();
        }
    }

    /** Guarded. */
    private boolean take(int n) {
        if (!queue.isEmpty() || available < n) {
            return false;
        }
        available -= n;
        return true;
    }

    // ---------------------------------------------------------------- releasing

    /**
     * Gives back one permit. Never switches.
     *
     * @throws IllegalStateException if there would be more permits than the bound
     * @throws WrongThreadException if the semaphore is another cord's
     */
    public void release() {
        release(1);
    }

    /**
     * Gives back permits, and hands them to the waiters, first in, first out, as far as they
     * suffice. Never switches.
     *
     * @param n how many, at least 1
     * @throws IllegalArgumentException if n is less than 1
     * @throws IllegalStateException if there would be more permits than the bound; nothing was
     *     given back then
     * @throws WrongThreadException if the semaphore is another cord's
     */
    public void release(int n) {
        checkPositive(n);
        List<WaitNode<Integer>> toWake;
        guard.enter(this);
        try {
            if (n > bound - available) {
                throw new IllegalStateException(
                        "release of "
                                + n
                                + " with "
                                + available
                                + " available would exceed the bound of "
                                + bound
                                + " of "
                                + this
                                + "; release only what was acquired, or make it with a higher"
                                + " bound");
            }
            available += n;
            toWake = serveGuarded();
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
    }

    private void serve() {
        List<WaitNode<Integer>> toWake;
        guard.enter(this);
        try {
            toWake = serveGuarded();
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
    }

    private List<WaitNode<Integer>> serveGuarded() {
        List<WaitNode<Integer>> served = List.of();
        for (WaitNode<Integer> first = queue.first(); first != null; first = queue.first()) {
            int wanted = wanted(first);
            if (first.isWaiting() && wanted > available) {
                break;
            }
            queue.remove(first);
            if (first.claim(ACQUIRED)) {
                available -= wanted;
                if (served.isEmpty()) {
                    served = new ArrayList<>(2); // not before: mostly no waiter is served
                }
                served.add(first);
            }
        }
        return served;
    }

    // ---------------------------------------------------------------- both

    /**
     * Runs the block with one permit.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param block runs at once
     * @return what the block returned
     * @throws X what the block threw
     * @throws WrongThreadException if the semaphore is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public <T extends @Nullable Object, X extends Exception> T call(Block<? extends T, X> block)
            throws X {
        acquire();
        try {
            return block.run();
        } finally {
            release();
        }
    }

    /**
     * Runs the block with one permit.
     *
     * @param <X> what the block throws
     * @param block runs at once
     * @throws X what the block threw
     * @throws WrongThreadException if the semaphore is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public <X extends Exception> void run(VoidBlock<X> block) throws X {
        acquire();
        try {
            block.run();
        } finally {
            release();
        }
    }

    // ---------------------------------------------------------------- for a new fiber

    /**
     * Acquires one permit, waiting for it if need be, and spins a fiber that has it. The permit is
     * released when the fiber is over, however it ended; also if it was ended before it began, when
     * no {@code finally} of its body runs. A switchpoint before the fiber is spun, also if it need
     * not wait.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs; it does not release
     * @return the new fiber, a child of the caller on the current cord
     * @throws IllegalStateException if no fiber runs on this thread
     * @throws dev.ropewalk.fibers.TooManyFibersException if the cord has as many fibers as it may;
     *     the permit is released then
     * @throws WrongThreadException if the semaphore is another cord's
     */
    public <T extends @Nullable Object> Fiber<T> spin(String name, Callable<? extends T> body) {
        return spin(() -> Fiber.<T>spin(name, body));
    }

    /**
     * Like {@link #spin(String, Callable)}, without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs; it does not release
     * @return the new fiber, a child of the caller on the current cord
     * @throws IllegalStateException if no fiber runs on this thread
     * @throws dev.ropewalk.fibers.TooManyFibersException if the cord has as many fibers as it may;
     *     the permit is released then
     * @throws WrongThreadException if the semaphore is another cord's
     */
    public Fiber<@Nullable Void> spin(String name, Action body) {
        return spin(() -> Fiber.spin(name, body));
    }

    /**
     * Like {@link #spin(String, Callable)}, for a fiber that a scope, a scheduler or another cord
     * spins: {@code permits.spin(() -> scope.spin("page", body))}.
     *
     * @param <F> the type of the fiber
     * @param spin spins the fiber; runs at once. This call throws its exceptions, and the permit is
     *     released then
     * @return what {@code spin} returned
     * @throws WrongThreadException if the semaphore is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public <F extends Fiber<?>> F spin(Supplier<? extends F> spin) {
        Objects.requireNonNull(spin, "spin");
        acquire();
        return HandOver.toNew(spin, this::release, guard.isLocal());
    }

    // ---------------------------------------------------------------- seen

    /**
     * {@return how many permits are available; if shared only a hint, because it can change at
     * once}
     *
     * @throws WrongThreadException if the semaphore is another cord's
     */
    public int available() {
        guard.enter(this);
        try {
            return available;
        } finally {
            guard.exit();
        }
    }

    // ---------------------------------------------------------------- inside

    private static int wanted(WaitNode<Integer> node) {
        return Objects.requireNonNull(node.element());
    }

    private void checkWanted(int n) {
        checkPositive(n);
        if (n > bound) {
            throw new IllegalArgumentException(
                    "n="
                            + n
                            + " permits are more than the bound of "
                            + bound
                            + " of "
                            + this
                            + "; ask for fewer, or make it with a higher bound");
        }
    }

    private void checkPositive(int n) {
        if (n < 1) {
            throw new IllegalArgumentException(
                    "n=" + n + " permits of " + this + "; it must be at least 1");
        }
    }

    /** How many stand in the queue; for tests. */
    int waiting() {
        guard.enter(this);
        try {
            return queue.size();
        } finally {
            guard.exit();
        }
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        guard.enter(this);
        try {
            queue.checkInvariants();
            WaitNode<Integer> first = queue.first();
            boolean isForgotten = first != null && first.isWaiting() && wanted(first) <= available;
            if (available < 0 || available > bound || isForgotten) {
                throw new IllegalStateException(
                        "available=" + available + " bound=" + bound + " first=" + first);
            }
        } finally {
            guard.exit();
        }
    }

    @Override
    public void reclaim(WaitNode<?> node, Object given) {
        if (given == ACQUIRED && node.element() instanceof Integer permits) {
            release(permits);
        }
    }

    @Override
    public void abandoned(WaitNode<?> node) {
        serve();
    }

    @Override
    public String toString() {
        return (guard.isLocal() ? "local" : "shared")
                + " semaphore @"
                + Integer.toHexString(System.identityHashCode(this));
    }
}
