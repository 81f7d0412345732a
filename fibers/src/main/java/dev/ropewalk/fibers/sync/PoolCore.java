package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Exclusion;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Hold;
import dev.ropewalk.fibers.WaitNode;
import dev.ropewalk.fibers.WaitQueue;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * What a {@link ResourcePool} does.
 *
 * <p>Invariant: while somebody waits there is nothing to serve with. Whatever changes that serves
 * the line before it leaves the guard. The factory is called outside the guard, by the borrower
 * whose {@link Loan} has the place.
 *
 * <p>A claim decides that a waiter is served, and inside the same guarded section its loan is told
 * what with; so a waiter that has left is never given anything. The loan is known to its fiber
 * before the wait begins: one that was served and then abandoned gives it back too.
 */
final class PoolCore<R> {
    private static final Object SERVED = new Object();

    private final Exclusion guard;
    private final Object owner;
    private final ResourceFactory<R> factory;

    private final WaitQueue<Loan<R>> line = new WaitQueue<>();
    private final PoolState<R> state;

    enum Count {
        IDLE,
        LENT,
        WAITING
    }

    PoolCore(Exclusion guard, Object owner, int max, ResourceFactory<R> factory) {
        this.guard = guard;
        this.owner = owner;
        this.factory = factory;
        this.state = new PoolState<>(max);
    }

    /** What its users see, and wait for. */
    Object owner() {
        return owner;
    }

    // ---------------------------------------------------------------- borrowing

    @Nullable Loan<R> borrow(boolean mayWait, long limitNs) {
        if (mayWait) {
            guard.switchpoint(owner);
        }
        Loan<R> loan = new Loan<>(this);
        boolean isLent = false;
        try {
            WaitNode<Loan<R>> node = ask(loan, mayWait);
            if (node != null) {
                guard.await(node, owner, limitNs);
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
        guard.enter(owner);
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
            line.add(node);
            return node;
        } finally {
            guard.exit();
        }
    }

    /** By the borrower, outside the guard: does what is left to do; false if it got nothing. */
    private boolean complete(Loan<R> loan) {
        Loan.State now;
        guard.enter(owner);
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
            throw unchecked("no resource could be made for " + owner, failure);
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

    /** Closes the resource of the dead borrower whose place this one has. */
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

    // ---------------------------------------------------------------- giving back

    R resourceOf(Loan<R> loan) {
        guard.enter(owner);
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
        guard.enter(owner);
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

    void close() {
        List<R> toClose = new ArrayList<>();
        List<PoolState.Orphan<R>> toClear = new ArrayList<>();
        List<WaitNode<Loan<R>>> refused = new ArrayList<>();
        guard.enter(owner);
        try {
            state.close(toClose, toClear);
            refused.addAll(line.claimAll(SERVED));
            refused.forEach(each -> loanOf(each).state = Loan.State.REFUSED);
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(refused);
        closeAll(toClose, toClear);
    }

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
            throw unchecked("a resource of " + owner + " could not be closed", first);
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

    /** What a fiber holds that closes a resource: otherwise its place would be taken for ever. */
    private final class Closing extends Hold {
        void close(R resource) {
            Fiber<?> closer = Fiber.currentOrNull();
            if (closer != null) {
                hold(closer);
            }
            try {
                factory.close(resource);
            } catch (Throwable failure) {
                throw unchecked("a resource of " + owner + " could not be closed", failure);
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
            return List.of(owner);
        }

        @Override
        protected String afterwards() {
            return "which counts as closed; let the factory's close end when it is terminated";
        }

        @Override
        public String toString() {
            return "the closing of a resource of " + owner;
        }
    }

    // ---------------------------------------------------------------- guarded

    private interface Change {
        boolean apply();
    }

    /** Makes the change inside the guard and serves who can be served after it. */
    private boolean settle(Change change) {
        List<WaitNode<Loan<R>>> served = new ArrayList<>(0);
        boolean result;
        guard.enter(owner);
        try {
            result = change.apply();
            while (!line.isEmpty() && state.canServe()) {
                WaitNode<Loan<R>> next = line.claimFirst(SERVED);
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

    private Loan<R> loanOf(WaitNode<Loan<R>> node) {
        return Objects.requireNonNull(node.element(), "a node without a loan");
    }

    // ---------------------------------------------------------------- for people and tests

    int count(Count which) {
        guard.enter(owner);
        try {
            return switch (which) {
                case IDLE -> state.idle();
                case LENT -> state.lent();
                case WAITING -> line.size();
            };
        } finally {
            guard.exit();
        }
    }

    void checkInvariants() {
        guard.enter(owner);
        try {
            line.checkInvariants();
            state.checkInvariants();
            if (!line.isEmpty() && state.canServe()) {
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
                + Integer.toHexString(System.identityHashCode(owner))
                + ", "
                + state;
    }

    private PoolClosedException poolClosed() {
        return new PoolClosedException(owner + ": it lends nothing any more; borrow before close");
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
}
