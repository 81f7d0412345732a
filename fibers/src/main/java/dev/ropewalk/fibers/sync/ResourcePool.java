package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Exclusion;
import dev.ropewalk.fibers.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * Lends resources such as connections: makes them when they are needed, and keeps those given back
 * for the next.
 *
 * <p>Who comes when nothing is there waits, first in, first out; a resource that comes back is
 * handed to the first, and nobody gets in between. Who can get no resource that is idle, while
 * there is room for one more, makes it itself; if that fails, only the one that tried is told, and
 * the next who waits gets its turn to make one.
 *
 * <p>A fiber that ends without having closed its loan is reported. Its resource is not lent again,
 * for nobody knows what state it is in: who takes its place closes it first, or {@link #close}
 * does; what closing it throws goes to the uncaught handler. If the pool is closed by then, the
 * resource is closed at once, as no fiber, where closing cannot wait.
 *
 * <p>What was done with a resource before it was given back happens before its next loan.
 *
 * @param <R> the type of the resources
 */
public final class ResourcePool<R> implements AutoCloseable {
    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final int UNBOUNDED = Integer.MAX_VALUE;

    private final PoolCore<R> core;

    private ResourcePool(Exclusion guard, int max, ResourceFactory<R> factory) {
        if (max < 1) {
            throw new IllegalArgumentException("max=" + max + " must be at least 1");
        }
        Objects.requireNonNull(factory, "factory");
        this.core = new PoolCore<>(guard, this, max, factory);
    }

    /**
     * {@return a pool for fibers of any cord and plain threads}
     *
     * @param <R> the type of the resources
     * @param max how many resources may be open at once
     * @param factory makes and closes them
     * @throws IllegalArgumentException if max is less than 1
     */
    public static <R> ResourcePool<R> sharedBounded(int max, ResourceFactory<R> factory) {
        return new ResourcePool<>(Exclusion.byLock(), max, factory);
    }

    /**
     * {@return a pool for fibers of any cord and plain threads that makes as many as are needed}
     *
     * @param <R> the type of the resources
     * @param factory makes and closes them
     */
    public static <R> ResourcePool<R> sharedUnbounded(ResourceFactory<R> factory) {
        return new ResourcePool<>(Exclusion.byLock(), UNBOUNDED, factory);
    }

    /**
     * {@return a pool for the fibers of the current cord}
     *
     * @param <R> the type of the resources
     * @param max how many resources may be open at once
     * @param factory makes and closes them
     * @throws IllegalArgumentException if max is less than 1
     * @throws IllegalStateException if this thread is no cord
     */
    public static <R> ResourcePool<R> localBounded(int max, ResourceFactory<R> factory) {
        Exclusion guard = Exclusion.byCord("make it with ResourcePool.sharedBounded(max, factory)");
        return new ResourcePool<>(guard, max, factory);
    }

    /**
     * {@return a pool for the fibers of the current cord that makes as many as are needed}
     *
     * @param <R> the type of the resources
     * @param factory makes and closes them
     * @throws IllegalStateException if this thread is no cord
     */
    public static <R> ResourcePool<R> localUnbounded(ResourceFactory<R> factory) {
        Exclusion guard = Exclusion.byCord("make it with ResourcePool.sharedUnbounded(factory)");
        return new ResourcePool<>(guard, UNBOUNDED, factory);
    }

    // ---------------------------------------------------------------- borrowing

    /**
     * Borrows a resource, waiting for one if need be. A switchpoint, also if one is there. What the
     * factory throws comes out as it is, if it is unchecked.
     *
     * @return the loan
     * @throws PoolClosedException if the pool is closed, also while waiting or making
     * @throws ResourceException if the factory threw a checked exception
     * @throws WrongThreadException if the pool is local and another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public Loan<R> borrow() {
        return Objects.requireNonNull(core.borrow(true, NO_LIMIT), "no limit, so it cannot pass");
    }

    /**
     * Borrows a resource, waiting for one no longer than the limit. A switchpoint. The limit ends
     * no factory that has begun; a cancel scope does.
     *
     * @param limit how long to wait for others; may be zero
     * @return the loan; null if the limit passed
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws PoolClosedException if the pool is closed, also while waiting or making
     * @throws ResourceException if the factory threw a checked exception
     * @throws WrongThreadException if the pool is local and another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public @Nullable Loan<R> borrow(Duration limit) {
        return core.borrow(true, Waits.nanos(limit));
    }

    /**
     * Borrows a resource if one is there now, or there is room to make one. Waits for no other; a
     * switchpoint only if the factory waits.
     *
     * @return the loan; null if there is none
     * @throws PoolClosedException if the pool is closed, also while making
     * @throws ResourceException if the factory threw a checked exception
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public @Nullable Loan<R> tryBorrow() {
        return core.borrow(false, 0);
    }

    // ---------------------------------------------------------------- the rest

    /**
     * Closes the pool: who waits, and who comes later, gets a {@link PoolClosedException}, and all
     * that is idle is closed. What is lent is closed when it comes back; this does not wait for it.
     * All are tried; the first failure comes out, with the others as its suppressed. Closing twice
     * is harmless. A switchpoint only if closing a resource waits.
     *
     * @throws ResourceException if closing a resource threw a checked exception; what is unchecked
     *     comes out as it is
     * @throws WrongThreadException if the pool is local and another cord's
     */
    @Override
    public void close() {
        core.close();
    }

    /**
     * {@return how many resources wait to be lent; for people, for it can change at once}
     *
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public int idle() {
        return core.count(PoolCore.Count.IDLE);
    }

    /**
     * {@return how many resources are lent; for people, for it can change at once}
     *
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public int lent() {
        return core.count(PoolCore.Count.LENT);
    }

    /**
     * {@return how many wait for a resource; for people, for it can change at once}
     *
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public int waiting() {
        return core.count(PoolCore.Count.WAITING);
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        core.checkInvariants();
    }

    @Override
    public String toString() {
        return core.toString();
    }
}
