package dev.ropewalk.fibers.blocking;

import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.internal.boot.HelperThreads;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * One call of a {@link BlockingPool}: run once by its virtual thread; its outcome is handed over by
 * the waiter. The states are those of the pool.
 */
final class BlockingCall<T extends @Nullable Object> implements Runnable {
    /**
     * The waiter's resume value instead of null if the call never ran, because the pool was closed.
     */
    static final Object REFUSED = new Object();

    /** The waiter's resume value if the pool was closed and the code did not stop. */
    static final Object LEFT_BEHIND = new Object();

    private final BlockingPool pool;
    private final Block<? extends T, ?> code;
    private final WaitCell waiter = new WaitCell();
    private final Fiber<?> fiber = Fiber.current();

    /** Null until the call may start; guarded by the pool's lock. */
    private @Nullable Thread thread;

    /** The fiber gave up, or the pool is closing; guarded by the pool's lock. */
    private boolean interrupted;

    /** The place among the calls that run at once is free again; guarded by the pool's lock. */
    private boolean placeLeft;

    /** Guarded by the pool's lock. */
    private boolean refused;

    /** The value that the code returned; written before the waiter is given. */
    private @Nullable T result;

    /** The exception that it threw; written before the waiter is given. */
    private @Nullable Throwable failure;

    private volatile boolean over;

    /** The second wait, for the end of an interrupted call. */
    private volatile @Nullable WaitCell endWaiter;

    BlockingCall(BlockingPool pool, Block<? extends T, ?> code) {
        this.pool = pool;
        this.code = code;
    }

    // ---------------------------------------------------------------- on the virtual thread

    void start() {
        String name = pool.options().name() + " for " + fiber.name();
        Thread started = HelperThreads.unstarted(name, this);
        synchronized (pool.lock()) {
            thread = started;
            if (interrupted) {
                started.interrupt();
            }
        }
        started.start();
    }

    @Override
    public void run() {
        try {
            result = code.run();
        } catch (Throwable t) {
            failure = t;
        }
        pool.leavePlace(this);
        T made = result;
        if (!waiter.give(null) && made != null) {
            pool.undelivered(made, fiber);
        }
        over = true; // with the hook done, so that a caller that gave up goes on after it
        pool.gone(this);
        WaitCell end = endWaiter;
        if (end != null) {
            end.give(null);
        }
    }

    // ---------------------------------------------------------------- guarded by the pool's lock

    void interrupt() {
        interrupted = true;
        if (thread != null && !placeLeft) { // the hook is not interrupted
            thread.interrupt();
        }
    }

    /** The pool was closed while the call was queued: it never starts. */
    void refuse() {
        refused = true;
    }

    boolean isRefused() {
        return refused;
    }

    /** True once: at the end of the call, or when it is abandoned. */
    boolean takePlace() {
        boolean first = !placeLeft;
        placeLeft = true;
        return first;
    }

    // ---------------------------------------------------------------- for its fiber

    @SuppressWarnings("NullAway") // null only if the type of the result is nullable
    T await() {
        Object how;
        try {
            how = waiter.await(this);
        } catch (Throwable raised) {
            giveUp();
            throw raised;
        }
        if (how == REFUSED) {
            throw pool.closed();
        }
        if (how == LEFT_BEHIND) {
            throw new IllegalStateException(ignored("was left behind when the pool was closed"));
        }
        if (failure != null) {
            throw Unchecked.<RuntimeException>sneaky(failure);
        }
        return result;
    }

    /** Ends the wait from outside. */
    void give(Object how) {
        waiter.give(how);
    }

    /** The fiber was raised into: interrupt, wait a while, then leave the call behind. */
    private void giveUp() {
        if (!pool.interruptUnlessQueued(this) || Waits.cleanUp(this::awaitEnd)) {
            return;
        }
        pool.abandon(this);
        Waits.report(fiber, new FiberAbandonedException(fiber, ignored("was abandoned")));
    }

    private boolean awaitEnd() {
        WaitCell end = new WaitCell();
        endWaiter = end;
        return over || end.await(this, pool.stopLimitNs()) != Waits.TIMED_OUT;
    }

    private String ignored(String what) {
        return this
                + " ignored its interrupt for "
                + Duration.ofNanos(pool.stopLimitNs())
                + " and "
                + what;
    }

    String callerName() {
        return fiber.name();
    }

    @Override
    public String toString() {
        return "a call of " + fiber + " in " + pool;
    }
}
