package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * Something that holders of a {@link Mutex} wait for and tell each other. Made by {@link
 * Mutex#newCondition}.
 *
 * <p>A wait ends only by a signal, the limit, termination or cancellation; in each case the caller
 * holds the mutex again. Signals are not remembered, and go to the one that waits longest. A waiter
 * that leaves takes no signal with it: if it was signalled and then terminated, the signal goes to
 * the next.
 */
public final class Condition implements Handoff {
    /*
     * A waiter stands in this condition's queue, and after a signal in the queue of the mutex, with
     * the one wait it began with: the mutex is handed to it there. So a signal wakes no waiter that
     * could not go on, and a waiter needs one switch.
     */
    private static final long NO_LIMIT = Long.MAX_VALUE;

    /**
     * So long that it is no limit; a fiber that holds the mutex too long is seen by the stop limit.
     */
    private static final Duration REGAIN_LIMIT = Duration.ofDays(36_500);

    private final Mutex mutex;
    private final Exclusion guard;
    private final WaitQueue<Object> queue = new WaitQueue<>();

    /** The element of a waiter: whether it was signalled. */
    final class Wait {
        /** Guarded. */
        private boolean isSignalled;

        /** It will never take its signal, if it was given one, which goes to the next. */
        void passOn() {
            WaitNode<Object> next = null;
            guard.enter(Condition.this);
            try {
                if (isSignalled) {
                    isSignalled = false;
                    next = signalFirst();
                }
            } finally {
                guard.exit();
            }
            if (next != null) {
                next.wake();
            }
        }
    }

    Condition(Mutex mutex) {
        this.mutex = mutex;
        this.guard = mutex.guard();
    }

    /**
     * Unlocks the mutex, waits for a signal, and locks it again. A switchpoint.
     *
     * @throws IllegalStateException if the caller does not hold the mutex
     * @throws WaitInterruptedException if a plain thread was interrupted; it holds the mutex
     */
    public void await() {
        awaitWithin(NO_LIMIT);
    }

    /**
     * Unlocks the mutex, waits for a signal no longer than the limit, and locks it again, however
     * long that takes. A switchpoint.
     *
     * @param limit how long to wait for the signal
     * @return false if the limit passed without a signal
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if the caller does not hold the mutex
     * @throws WaitInterruptedException if a plain thread was interrupted; it holds the mutex
     */
    public boolean await(Duration limit) {
        return awaitWithin(Waits.nanos(limit));
    }

    private boolean awaitWithin(long limitNs) {
        Object me = mutex.checkHolder("await");
        guard.switchpoint(this);
        Wait wait = new Wait();
        WaitNode<Object> node;
        WaitNode<Object> next;
        int nested = mutex.takeNested();
        guard.enter(this);
        try {
            node = guard.node(wait);
            queue.add(node);
            next = mutex.releaseGuarded(me);
        } finally {
            guard.exit();
        }
        if (next != null) {
            next.wake();
        }
        boolean left = true;
        boolean regained = false;
        try {
            regained = mutex.isRegained(guard.await(node, this, limitNs), me);
            left = false;
        } finally {
            if (!regained) {
                lockAgain(me, wait);
            }
            mutex.setNested(nested);
            if (left && wait.isSignalled) {
                signal();
            }
        }
        return wait.isSignalled;
    }

    /** Only the mutex ends this wait. */
    private void lockAgain(Object me, Wait wait) {
        if (me instanceof Fiber<?>) {
            CancelScope.shielded(REGAIN_LIMIT, () -> mutex.lockAgainFor(wait));
            return;
        }
        boolean interrupted = false;
        for (boolean locked = false; !locked; ) {
            try {
                mutex.lock();
                locked = true;
            } catch (WaitInterruptedException e) {
                interrupted = true;
                Thread.interrupted();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Wakes the waiter that waits longest, when the caller has unlocked the mutex. No effect
     * without a waiter. Never switches.
     *
     * @throws IllegalStateException if the caller does not hold the mutex
     */
    public void signal() {
        mutex.checkHolder("signal");
        guard.enter(this);
        try {
            signalFirst();
        } finally {
            guard.exit();
        }
    }

    /**
     * Wakes all waiters, one after the other as the mutex is handed on. Never switches.
     *
     * @throws IllegalStateException if the caller does not hold the mutex
     */
    public void signalAll() {
        mutex.checkHolder("signalAll");
        guard.enter(this);
        try {
            while (!queue.isEmpty()) {
                signalFirst();
            }
        } finally {
            guard.exit();
        }
    }

    /**
     * Guarded: a wait that is over gets no signal.
     *
     * @return the node to wake when the guard is left; null if the mutex is held by another
     */
    private @Nullable WaitNode<Object> signalFirst() {
        for (WaitNode<Object> first = queue.first(); first != null; first = queue.first()) {
            queue.remove(first);
            if (first.isWaiting() && first.element() instanceof Wait wait) {
                wait.isSignalled = true;
                return mutex.addToQueue(first);
            }
        }
        return null;
    }

    @Override
    public void reclaim(WaitNode<?> node, Object given) {
        mutex.reclaim(node, given);
    }

    @Override
    public void abandoned(WaitNode<?> node) {
        mutex.abandoned(node);
    }

    @Override
    public String toString() {
        return "condition of " + mutex;
    }
}
