package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Fiber;

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
public final class Loan<R> implements AutoCloseable {
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

    private final PoolCore<R> pool;
    State state = State.WAITING;
    @Nullable R resource;

    /** While CLEARING: what has to be closed; null once that has begun. */
    PoolState.@Nullable Orphan<R> orphan;

    /** Null if a plain thread borrows; its borrower's. */
    final @Nullable TransferableHold obligation;

    private static final class Debt<R> implements TransferableHold.Owed {
        private final Loan<R> loan;

        Debt(Loan<R> loan) {
            this.loan = loan;
        }

        @Override
        public boolean isOwed(TransferableHold obligation) {
            return loan.pool.isOwed(loan);
        }

        @Override
        public void onDebtorDead(TransferableHold obligation, Fiber<?> dead) {
            loan.pool.borrowerDied(loan, dead);
        }

        @Override
        public List<?> awaitedAs() {
            return List.of(loan.pool.owner());
        }

        @Override
        public String toString() {
            return loan.toString();
        }
    }

    Loan(PoolCore<R> pool) {
        this.pool = pool;
        this.obligation = TransferableHold.ofCaller(new Debt<>(this));
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
     * Gives the resource back: the first who waits gets it. If the pool is closed, closes the
     * resource instead. No effect after {@link #discard}, so that a block of try-with-resources may
     * discard. Never switches, unless the resource is closed and that waits.
     *
     * @throws IllegalStateException if it was given back already
     * @throws ResourceException if the resource was closed and threw a checked exception; what is
     *     unchecked comes out as it is
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
     * @throws ResourceException if closing threw a checked exception; what is unchecked comes out
     *     as it is
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public void discard() {
        pool.discard(this);
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
