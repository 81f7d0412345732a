package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.VoidBlock;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.HasHolder;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The read lock or the write lock of a {@link ReadWriteLock}. It is used like a {@link Mutex};
 * {@link ReadWriteLock} says what each of the two admits.
 */
public final class LockView implements Handoff, HasHolder {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final ReadWriteLock both;
    private final boolean isWrite;

    LockView(ReadWriteLock both, boolean isWrite) {
        this.both = both;
        this.isWrite = isWrite;
    }

    /**
     * Locks it, waiting for it if need be. A switchpoint even if it does not wait: if the fiber is
     * terminated or cancelled, this throws and the fiber does not hold the lock.
     *
     * @throws DeadlockException if the caller would wait for itself: it holds the write lock, or it
     *     holds the read lock and this is the write lock; or if its holder waits for the caller,
     *     directly or through others of the cord
     * @throws WrongThreadException if it is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public void lock() {
        both.lock(isWrite, NO_LIMIT);
    }

    /**
     * Locks it, waiting for it no longer than the limit. A switchpoint, as {@link #lock()}.
     *
     * @param limit how long to wait
     * @return false if the limit passed
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws DeadlockException if the caller would wait for itself: it holds the write lock, or it
     *     holds the read lock and this is the write lock
     * @throws WrongThreadException if it is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public boolean lock(Duration limit) {
        return both.lock(isWrite, Waits.nanos(limit));
    }

    /**
     * Locks it if that needs no wait. Never switches, never overtakes.
     *
     * @return false if it would have to wait, or the caller would have to wait for itself
     * @throws WrongThreadException if it is another cord's
     */
    public boolean tryLock() {
        return both.tryLock(isWrite);
    }

    /**
     * Unlocks it, or undoes one of several read locks of the caller, and hands it to the next
     * waiters. Never switches.
     *
     * @throws IllegalStateException if the caller does not hold it
     * @throws WrongThreadException if it is another cord's
     */
    public void unlock() {
        both.unlock(isWrite);
    }

    /**
     * Runs the block while holding it.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param block runs at once
     * @return what the block returned
     * @throws X what the block threw
     * @throws DeadlockException if the caller would wait for itself
     * @throws WrongThreadException if it is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public <T extends @Nullable Object, X extends Exception> T call(Block<? extends T, X> block)
            throws X {
        lock();
        try {
            return block.run();
        } finally {
            unlock();
        }
    }

    /**
     * Runs the block while holding it.
     *
     * @param <X> what the block throws
     * @param block runs at once
     * @throws X what the block threw
     * @throws DeadlockException if the caller would wait for itself
     * @throws WrongThreadException if it is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public <X extends Exception> void run(VoidBlock<X> block) throws X {
        lock();
        try {
            block.run();
        } finally {
            unlock();
        }
    }

    /**
     * {@return whether the calling fiber, or plain thread, holds it}
     *
     * @throws WrongThreadException if it is another cord's
     */
    public boolean isHeldByCaller() {
        return both.isHeldByCaller(isWrite);
    }

    /**
     * {@return the fiber or thread that is waited for here: the one that writes; without one, for
     * the write lock the only one that reads, and for the read lock the writer that waits first in
     * the queue; null if there is none of these}
     */
    @Override
    public @Nullable Object holder() {
        return both.holder(isWrite);
    }

    @Override
    public void reclaim(WaitNode<?> node, Object given) {
        both.takeBack(node, given, isWrite);
    }

    @Override
    public void abandoned(WaitNode<?> node) {
        both.serve();
    }

    @Override
    public String toString() {
        return (isWrite ? "write lock of " : "read lock of ") + both;
    }
}
