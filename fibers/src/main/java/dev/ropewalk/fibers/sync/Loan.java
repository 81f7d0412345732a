package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Hold;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A resource lent by a {@link ResourcePool}, until {@link #close} gives it back or {@link #discard}
 * throws it away. Meant for try-with-resources.
 *
 * <p>Another fiber may use and close it, but the one that borrowed it answers for it.
 *
 * @param <R> the type of the resource
 */
public final class Loan<R> extends Hold implements AutoCloseable {
    /*
     *   WAITING  -> LENT        given a resource that was idle
     *   WAITING  -> CLEARING    given the place of a dead borrower, whose resource has to be closed
     *   WAITING  -> MAKING      given a place
     *   WAITING  -> REFUSED     the pool was closed
     *   CLEARING -> MAKING      that resource was closed
     *   MAKING   -> LENT        made
     *   MAKING   -> REFUSED     could not be made, or the pool was closed
     *   LENT     -> RETURNED, DISCARDED
     *   CLEARING, MAKING, LENT -> LOST    its borrower ended
     *
     * A borrower that leaves while it is WAITING just leaves. All of it is guarded by the pool.
     */
    enum State {
        WAITING,
        CLEARING,
        MAKING,
        LENT,
        REFUSED,
        RETURNED,
        DISCARDED,
        LOST
    }

    private final ResourcePool<R> pool;
    State state = State.WAITING;
    @Nullable R resource;

    /** While CLEARING: the resource that has to be closed; null once that has begun. */
    PoolState.@Nullable Orphan<R> orphan;

    /** Null if a plain thread borrows, because the end of a thread is not seen. */
    private final @Nullable Fiber<?> borrower = Fiber.currentOrNull();

    Loan(ResourcePool<R> pool) {
        this.pool = pool;
        if (borrower != null) {
            hold(borrower);
        }
    }

    /** From any thread, when the pool says that it is not held. */
    void end() {
        if (borrower != null) {
            letGoFromAnywhere(borrower);
        }
    }

    /**
     * {@return the resource}
     *
     * @throws IllegalStateException if it was given back or discarded
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public R get() {
        return pool.resourceOf(this);
    }

    /**
     * Gives the resource back: the first waiter gets it. If the pool is closed, closes the resource
     * instead. No effect after {@link #discard}, so that a block of try-with-resources may discard.
     * Never switches, unless the resource is closed and that waits.
     *
     * @throws IllegalStateException if it was given back already
     * @throws ResourceException if the resource was closed and threw a checked exception; an
     *     unchecked one comes out as it is
     * @throws WrongThreadException if the pool is local and another cord's
     */
    @Override
    public void close() {
        pool.giveBack(this);
    }

    /**
     * Throws the resource away, because it is broken: closes it, and then a new one may be made in
     * its place. Never switches, unless closing waits.
     *
     * @throws IllegalStateException if it was given back or discarded already
     * @throws ResourceException if closing threw a checked exception; an unchecked one comes out as
     *     it is
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public void discard() {
        pool.discard(this);
    }

    /** Tells the uncaught handler of the borrower's cord; the borrower may be dead. */
    static void tell(Fiber<?> borrower, Throwable failure) {
        report(borrower, failure);
    }

    @Override
    protected boolean isHeld() {
        return pool.isHeld(this);
    }

    @Override
    protected void onHolderDead(Fiber<?> dead) {
        pool.borrowerDied(this, dead);
    }

    @Override
    protected List<?> awaitedAs() {
        return List.of(pool);
    }

    IllegalStateException misused(String operation) {
        return new IllegalStateException(
                operation
                        + " on "
                        + this
                        + ", which is over; borrow again, and use a loan only until it is closed");
    }

    @Override
    public String toString() {
        return "loan (" + state + ") of " + pool;
    }
}
