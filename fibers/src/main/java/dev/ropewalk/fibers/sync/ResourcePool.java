package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Hold;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntSupplier;

/**
 * Lends resources such as connections: makes them when they are needed, and keeps those given back
 * for the next.
 *
 * <p>A caller that comes when nothing is there waits, first in, first out; a resource that comes
 * back is handed to the first waiter, so no newcomer gets in between. A caller that finds no idle
 * resource, while there is room for one more, makes one itself; if that fails, only that caller is
 * told, and the next waiter gets its turn to make one.
 *
 * <p>A fiber that ends without having closed its loan is reported. Its resource is not lent again,
 * because its state is not known: the caller that takes its place closes it first, or {@link
 * #close} does; an exception of closing it goes to the uncaught handler. If the pool is closed by
 * then, the resource is closed at once, as no fiber, where closing cannot wait.
 *
 * <p>Everything done with a resource before it was given back happens before its next loan.
 *
 * @param <R> the type of the resources
 */
public final class ResourcePool<R> implements AutoCloseable {
    /*
     * Invariant: while a caller waits there is nothing to serve it with. Every step that changes
     * this serves the queue before it leaves the guard. The factory is called outside the guard, by
     * the borrower whose Loan has the place.
     *
     * A claim decides that a waiter is served, and inside the same guarded section its loan is told
     * with what; so a waiter that has left is never given anything. The loan is known to its fiber
     * before the wait begins: one that was served and then abandoned gives it back too.
     */
    private static final Object SERVED = new Object();

    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final int UNBOUNDED = Integer.MAX_VALUE;

    private final Exclusion guard;
    private final ResourceFactory<R> factory;
    private final PoolState<R> state;
    private final WaitQueue<Loan<R>> queue = new WaitQueue<>();

    private ResourcePool(Exclusion guard, int max, ResourceFactory<R> factory) {
        if (max < 1) {
            throw new IllegalArgumentException("max=" + max + " must be at least 1");
        }
        this.guard = guard;
        this.factory = Objects.requireNonNull(factory, "factory");
        this.state = new PoolState<>(max);
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
     * Borrows a resource, waiting for one if need be. A switchpoint, also if one is there. An
     * unchecked exception of the factory comes out as it is.
     *
     * @return the loan
     * @throws PoolClosedException if the pool is closed, also while waiting or making
     * @throws ResourceException if the factory threw a checked exception
     * @throws WrongThreadException if the pool is local and another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public Loan<R> borrow() {
        return Objects.requireNonNull(borrow(true, NO_LIMIT), "no limit, so it cannot pass");
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
        return borrow(true, Waits.nanos(limit));
    }

    /**
     * Borrows a resource if one is there now, or there is room to make one. Waits for no other; a
     * switchpoint only if the factory waits.
     *
     * @return the loan, or null
     * @throws PoolClosedException if the pool is closed, also while making
     * @throws ResourceException if the factory threw a checked exception
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public @Nullable Loan<R> tryBorrow() {
        return borrow(false, 0);
    }

    // ---------------------------------------------------------------- the rest

    /**
     * Closes the pool: waiters and later callers get a {@link PoolClosedException}, and idle
     * resources are closed. A lent one is closed when it comes back; this does not wait for it. All
     * are tried; the first failure comes out, with the others as its suppressed. Closing twice is
     * harmless. A switchpoint only if closing a resource waits.
     *
     * @throws ResourceException if closing a resource threw a checked exception; an unchecked one
     *     comes out as it is
     * @throws WrongThreadException if the pool is local and another cord's
     */
    @Override
    public void close() {
        List<R> toClose = new ArrayList<>();
        List<PoolState.Orphan<R>> toClear = new ArrayList<>();
        List<WaitNode<Loan<R>>> refused;
        guard.enter(this);
        try {
            state.close(toClose, toClear);
            refused = queue.claimAll(SERVED);
            refused.forEach(each -> loanOf(each).state = Loan.State.REFUSED);
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(refused);
        closeAll(toClose, toClear);
    }

    /**
     * {@return how many resources wait to be lent; for people, because it can change at once}
     *
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public int idle() {
        return read(state::idle);
    }

    /**
     * {@return how many resources are lent; for people, because it can change at once}
     *
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public int lent() {
        return read(state::lent);
    }

    /**
     * {@return how many wait for a resource; for people, because it can change at once}
     *
     * @throws WrongThreadException if the pool is local and another cord's
     */
    public int waiting() {
        return read(queue::size);
    }

    // ---------------------------------------------------------------- for borrowers

    private @Nullable Loan<R> borrow(boolean mayWait, long limitNs) {
        if (mayWait) {
            guard.switchpoint(this);
        }
        Loan<R> loan = new Loan<>(this);
        boolean isLent = false;
        try {
            WaitNode<Loan<R>> node = ask(loan, mayWait);
            if (node != null) {
                guard.await(node, this, limitNs);
            }
            isLent = complete(loan);
            return isLent ? loan : null;
        } finally {
            if (!isLent) {
                loan.end();
            }
        }
    }

    /** Null if the loan was served at once, or may not wait. */
    private @Nullable WaitNode<Loan<R>> ask(Loan<R> loan, boolean mayWait) {
        guard.enter(this);
        try {
            if (state.isClosed()) {
                throw poolClosed();
            }
            if (state.canServe()) {
                state.serve(loan);
                return null;
            }
            if (!mayWait) {
                return null;
            }
            WaitNode<Loan<R>> node = guard.node(loan);
            queue.add(node);
            return node;
        } finally {
            guard.exit();
        }
    }

    /** By the borrower, outside the guard: does the rest of the work; false if it got nothing. */
    private boolean complete(Loan<R> loan) {
        Loan.State now;
        guard.enter(this);
        try {
            now = loan.state;
        } finally {
            guard.exit();
        }
        return switch (now) {
            case WAITING -> false;
            case LENT -> true;
            case CLEARING, MAKING -> make(loan);
            default -> throw poolClosed();
        };
    }

    private boolean make(Loan<R> loan) {
        R resource;
        try {
            clear(loan);
            resource = Objects.requireNonNull(factory.make(), "the factory made null");
        } catch (Throwable failure) {
            settle(() -> state.refuse(loan));
            throw unchecked("no resource could be made for " + this, failure);
        }
        if (settle(() -> state.begin(loan, resource))) {
            return true;
        }
        PoolClosedException refusal = poolClosed();
        try {
            closeResource(resource);
        } catch (Throwable failure) {
            refusal.addSuppressed(failure);
        }
        throw refusal;
    }

    /** Closes the resource of the dead borrower whose place this loan has. */
    private void clear(Loan<R> loan) {
        PoolState.Orphan<R> orphan = loan.orphan;
        if (orphan == null) {
            return;
        }
        loan.orphan = null;
        try {
            factory.close(orphan.resource());
        } catch (Exception failure) {
            Loan.tell(orphan.borrower(), failure);
        } finally {
            settle(() -> state.cleared(loan));
        }
    }

    R resourceOf(Loan<R> loan) {
        guard.enter(this);
        try {
            R resource = loan.resource;
            if (loan.state != Loan.State.LENT || resource == null) {
                throw loan.misused("get");
            }
            return resource;
        } finally {
            guard.exit();
        }
    }

    void giveBack(Loan<R> loan) {
        List<R> toClose = new ArrayList<>(0);
        boolean wasLent = settle(() -> state.end(loan, Loan.State.RETURNED, "close", toClose));
        if (wasLent) {
            loan.end();
            toClose.forEach(this::closeResource);
        }
    }

    void discard(Loan<R> loan) {
        List<R> toClose = new ArrayList<>(1);
        settle(() -> state.end(loan, Loan.State.DISCARDED, "discard", toClose));
        loan.end();
        toClose.forEach(this::closeResource);
    }

    boolean isHeld(Loan<R> loan) {
        guard.enter(this);
        try {
            return switch (loan.state) {
                case CLEARING, MAKING, LENT -> true;
                default -> false;
            };
        } finally {
            guard.exit();
        }
    }

    void borrowerDied(Loan<R> loan, Fiber<?> dead) {
        List<R> toClose = new ArrayList<>(1);
        settle(() -> state.lose(loan, dead, toClose));
        toClose.forEach(this::closeResource);
    }

    // ---------------------------------------------------------------- closing resources

    private void closeAll(List<R> toClose, List<PoolState.Orphan<R>> toClear) {
        Throwable first = null;
        for (PoolState.Orphan<R> orphan : toClear) {
            try {
                closeResource(orphan.resource());
            } catch (RuntimeException failure) {
                Loan.tell(orphan.borrower(), failure);
            } catch (Throwable failure) {
                first = join(first, failure);
            }
        }
        for (R resource : toClose) {
            try {
                closeResource(resource);
            } catch (Throwable failure) {
                first = join(first, failure);
            }
        }
        if (first != null) {
            throw unchecked("a resource of " + this + " could not be closed", first);
        }
    }

    private static Throwable join(@Nullable Throwable first, Throwable failure) {
        if (first == null || first == failure) {
            return failure;
        }
        first.addSuppressed(failure);
        return first;
    }

    /** It is counted among those being closed. */
    private void closeResource(R resource) {
        new Closing().close(resource);
    }

    /** Held by a fiber that closes a resource: otherwise its place could be taken for ever. */
    private final class Closing extends Hold {
        void close(R resource) {
            Fiber<?> closer = Fiber.currentOrNull();
            if (closer != null) {
                hold(closer);
            }
            try {
                factory.close(resource);
            } catch (Throwable failure) {
                throw unchecked(
                        "a resource of " + ResourcePool.this + " could not be closed", failure);
            } finally {
                if (closer != null) {
                    letGo(closer);
                }
                settle(state::closedOne);
            }
        }

        @Override
        protected void onHolderDead(Fiber<?> dead) {
            settle(state::closedOne);
        }

        @Override
        protected List<?> awaitedAs() {
            return List.of(ResourcePool.this);
        }

        @Override
        protected String afterwards() {
            return "which counts as closed; let the factory's close end when it is terminated";
        }

        @Override
        public String toString() {
            return "the closing of a resource of " + ResourcePool.this;
        }
    }

    // ---------------------------------------------------------------- guarded

    private interface Change {
        boolean apply();
    }

    /** Makes the change inside the guard and serves the waiters that can be served after it. */
    private boolean settle(Change change) {
        List<WaitNode<Loan<R>>> served = new ArrayList<>(0);
        boolean result;
        guard.enter(this);
        try {
            result = change.apply();
            while (!queue.isEmpty() && state.canServe()) {
                WaitNode<Loan<R>> next = queue.claimFirst(SERVED);
                if (next != null) {
                    state.serve(loanOf(next));
                    served.add(next);
                }
            }
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(served);
        return result;
    }

    private int read(IntSupplier count) {
        guard.enter(this);
        try {
            return count.getAsInt();
        } finally {
            guard.exit();
        }
    }

    private Loan<R> loanOf(WaitNode<Loan<R>> node) {
        return Objects.requireNonNull(node.element(), "a node without a loan");
    }

    private PoolClosedException poolClosed() {
        return new PoolClosedException(this + ": it lends nothing any more; borrow before close");
    }

    private static RuntimeException unchecked(String what, Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException asItIs) {
            return asItIs;
        }
        if (failure instanceof InterruptedException && Fiber.currentOrNull() == null) {
            Thread.currentThread().interrupt(); // a fiber's thread may be its whole cord's
        }
        return new ResourceException(what + ": " + failure, failure);
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        guard.enter(this);
        try {
            queue.checkInvariants();
            state.checkInvariants();
            if (!queue.isEmpty() && state.canServe()) {
                throw new IllegalStateException("somebody waits, but there is " + state);
            }
        } finally {
            guard.exit();
        }
    }

    /** From any thread; only a hint. */
    @Override
    public String toString() {
        return (guard.isLocal() ? "local" : "shared")
                + " resource pool @"
                + Integer.toHexString(System.identityHashCode(this))
                + ", "
                + state;
    }
}
