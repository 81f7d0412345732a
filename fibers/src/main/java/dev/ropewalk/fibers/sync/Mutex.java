package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.VoidBlock;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.HasHolder;
import dev.ropewalk.fibers.spi.Hold;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;

/**
 * A lock that one fiber, or plain thread, holds at a time.
 *
 * <p>Unlike a monitor or a {@code ReentrantLock} it knows fibers, and a fiber that waits for it
 * leaves its cord to others. It is handed over: {@link #unlock} makes the first waiter the holder,
 * so no newcomer can get in between. A fiber that ends while it holds the mutex is reported, and
 * the mutex goes to the next waiter. Fibers of one cord need a mutex only where a critical section
 * contains a switchpoint.
 *
 * <p>Everything that a holder did before it unlocked happens before everything that the next one
 * does.
 */
public final class Mutex extends Hold implements Handoff, HasHolder {
    /*
     * The word "owner" says all as long as there is no waiter:
     *
     *   null       -> X           take: X locks (shared: one compare-and-set)
     *   X          -> null        unlock while nobody waits (shared: one compare-and-set)
     *   X          -> CONTENDED   guarded: the first waiter; "holder" is X from before that on
     *   CONTENDED  -> CONTENDED   guarded: handed over; "holder" changes
     *   CONTENDED  -> null        guarded: unlocked and nobody waits any more
     *
     * So a waiter is never overtaken: while one stands in the queue the word is CONTENDED, and
     * unlock fails on its short way and hands over inside the guard. Rejected: a count of waiters
     * beside the word, because between "nobody waits" and "free" a newcomer gets in before one that
     * has just begun to wait.
     */
    private static final Object CONTENDED = new Object();

    private static final Object OWNED = new Object();
    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final VarHandle OWNER;

    static {
        try {
            OWNER = MethodHandles.lookup().findVarHandle(Mutex.class, "owner", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Exclusion guard;
    private final boolean isLocal;
    private final boolean isReentrant;
    private final WaitQueue<Object> queue = new WaitQueue<>();

    /** Null, a fiber or thread, or CONTENDED. */
    private @Nullable Object owner;

    /** The holder while the word is CONTENDED; guarded. */
    private @Nullable Object holder;

    /** How often the holder has locked it again; the holder's. */
    private int nested;

    private Mutex(Exclusion guard, boolean isReentrant) {
        this.guard = guard;
        this.isLocal = guard.isLocal();
        this.isReentrant = isReentrant;
    }

    // ---------------------------------------------------------------- making one

    /** {@return a mutex for fibers of any cord and plain threads} */
    public static Mutex shared() {
        return new Mutex(Exclusion.byLock(), false);
    }

    /**
     * {@return a mutex for fibers of any cord and plain threads, which its holder may lock again}
     */
    public static Mutex sharedReentrant() {
        return new Mutex(Exclusion.byLock(), true);
    }

    /**
     * {@return a mutex for the fibers of the current cord}
     *
     * @throws IllegalStateException if this thread is no cord
     */
    public static Mutex local() {
        return new Mutex(Exclusion.byCord("make it with Mutex.shared()"), false);
    }

    /**
     * {@return a mutex for the fibers of the current cord, which its holder may lock again}
     *
     * @throws IllegalStateException if this thread is no cord
     */
    public static Mutex localReentrant() {
        return new Mutex(Exclusion.byCord("make it with Mutex.sharedReentrant()"), true);
    }

    /** {@return a condition of this mutex} */
    public Condition newCondition() {
        return new Condition(this);
    }

    // ---------------------------------------------------------------- locking

    /**
     * Locks the mutex, waiting for it if need be. A switchpoint even if it is free: if the fiber is
     * terminated or cancelled, this throws and the fiber does not hold the mutex.
     *
     * @throws DeadlockException if the caller holds it already and it is not reentrant; or if its
     *     holder waits for the caller, directly or through others of the cord
     * @throws WrongThreadException if it is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public void lock() {
        Object me = guard.callerAtSwitchpoint(this);
        if (!take(me)) {
            lockSlowly(me, null, NO_LIMIT);
        }
    }

    /** Back from a wait of a condition, which must come back with the mutex: no switchpoint. */
    void lockAgainFor(Condition.Wait wait) {
        Object me = guard.caller(this);
        if (!take(me)) {
            lockSlowly(me, wait, NO_LIMIT);
        }
    }

    /**
     * Locks the mutex, waiting for it no longer than the limit. A switchpoint, as {@link #lock()}.
     *
     * @param limit how long to wait
     * @return false if the limit passed
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws DeadlockException if the caller holds it already and it is not reentrant
     * @throws WrongThreadException if it is another cord's
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public boolean lock(Duration limit) {
        long limitNs = Waits.nanos(limit);
        Object me = guard.callerAtSwitchpoint(this);
        return take(me) || lockSlowly(me, null, limitNs);
    }

    /**
     * Locks the mutex if it is free now. Never switches, and raises nothing.
     *
     * @return false if it is held; also by the caller, unless it is reentrant
     * @throws WrongThreadException if it is another cord's
     */
    public boolean tryLock() {
        Object me = guard.caller(this);
        return take(me) || lockAgain(me);
    }

    /**
     * Unlocks the mutex, or undoes one of several locks of a reentrant one, and hands it to the
     * first waiter. Never switches, and raises nothing.
     *
     * @throws IllegalStateException if the caller does not hold it
     * @throws WrongThreadException if it is another cord's
     */
    public void unlock() {
        Object me = checkHolder("unlock");
        if (nested > 0) {
            nested--;
            return;
        }
        if (me instanceof Fiber<?> fiber) {
            letGo(fiber);
        }
        release(me);
    }

    /**
     * Runs the block while holding the mutex.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param block runs at once
     * @return what the block returned
     * @throws X what the block threw
     * @throws DeadlockException if the caller holds it already and it is not reentrant
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
     * Runs the block while holding the mutex.
     *
     * @param <X> what the block throws
     * @param block runs at once
     * @throws X what the block threw
     * @throws DeadlockException if the caller holds it already and it is not reentrant
     */
    public <X extends Exception> void run(VoidBlock<X> block) throws X {
        lock();
        try {
            block.run();
        } finally {
            unlock();
        }
    }

    /** {@return whether the calling fiber, or plain thread, holds it} */
    public boolean isHeldByCaller() {
        return isHeldBy(guard.caller(this));
    }

    /** {@return whether it has a holder; only a hint, because it can change at once} */
    public boolean isLocked() {
        return OWNER.getOpaque(this) != null;
    }

    // ---------------------------------------------------------------- inside

    private boolean take(Object me) {
        if (isLocal) {
            if (owner != null) {
                return false;
            }
            owner = me;
        } else if (!OWNER.compareAndSet(this, null, me)) {
            return false;
        }
        noteHeld(me);
        return true;
    }

    private void noteHeld(Object me) {
        if (me instanceof Fiber<?> fiber) {
            hold(fiber);
        }
    }

    private boolean lockAgain(Object me) {
        if (isReentrant && isHeldBy(me)) {
            nested++;
            return true;
        }
        return false;
    }

    private boolean lockSlowly(Object me, Condition.@Nullable Wait wait, long limitNs) {
        if (lockAgain(me)) {
            return true;
        }
        if (isHeldBy(me)) {
            throw new DeadlockException(
                    me
                            + " holds "
                            + this
                            + " and locks it again: it would wait for itself. Unlock it first, or"
                            + " make a reentrant one");
        }
        if (wait == null) { // a condition's waiter must come back with the mutex
            Exclusion.refuseCycle(this, limitNs);
        }
        WaitNode<Object> node;
        guard.enter(this);
        try {
            if (takeOrContend(me)) {
                return true;
            }
            node = guard.node(wait);
            queue.add(node);
        } finally {
            guard.exit();
        }
        if (guard.await(node, this, limitNs) != OWNED) {
            return false;
        }
        noteHeld(me);
        return true;
    }

    /**
     * Guarded: takes it if it has just become free; otherwise sees to it that unlock will hand
     * over.
     */
    private boolean takeOrContend(Object me) {
        for (; ; ) {
            Object seen = OWNER.getVolatile(this);
            if (seen == null) {
                if (take(me)) {
                    return true;
                }
            } else if (seen == CONTENDED) {
                return false;
            } else {
                holder = seen;
                if (OWNER.compareAndSet(this, seen, CONTENDED)) {
                    return false;
                }
            }
        }
    }

    private void release(Object me) {
        if (isLocal && owner == me) {
            owner = null;
            return;
        }
        if (!isLocal && OWNER.compareAndSet(this, me, null)) {
            return;
        }
        WaitNode<Object> next;
        guard.enter(this);
        try {
            next = handOver();
        } finally {
            guard.exit();
        }
        if (next != null) {
            next.wake();
        }
    }

    /** Guarded: the holder lets go. The caller wakes the node when it has left the guard. */
    private @Nullable WaitNode<Object> handOver() {
        WaitNode<Object> next = queue.claimFirst(OWNED);
        if (next == null) {
            holder = null;
            OWNER.setVolatile(this, null);
        } else {
            holder = next.who();
        }
        return next;
    }

    private boolean isHeldBy(Object who) {
        return holder() == who;
    }

    /**
     * {@return the holder, or null} Exact for the caller and for fibers of its cord, which stand
     * still meanwhile; a hint for others.
     */
    @Override
    public @Nullable Object holder() {
        Object seen = OWNER.getOpaque(this);
        if (seen != CONTENDED) {
            return seen;
        }
        guard.enter(this);
        try {
            return holder;
        } finally {
            guard.exit();
        }
    }

    Object checkHolder(String operation) {
        Object me = guard.caller(this);
        if (!isHeldBy(me)) {
            throw new IllegalStateException(
                    operation + " by " + me + ", which does not hold " + this + "; lock it first");
        }
        return me;
    }

    @Override
    protected void onHolderDead(Fiber<?> dead) {
        if (isHeldBy(dead)) {
            nested = 0;
            release(dead);
        }
    }

    @Override
    public void reclaim(WaitNode<?> node, Object given) {
        if (given == OWNED) {
            release(node.who());
        }
    }

    /**
     * A waiter that leaves a condition with its signal passes it on once it has locked again; this
     * waiter cannot.
     */
    @Override
    public void abandoned(WaitNode<?> node) {
        if (node.element() instanceof Condition.Wait wait) {
            wait.passOn();
        }
    }

    // ---------------------------------------------------------------- for its conditions

    Exclusion guard() {
        return guard;
    }

    /**
     * Guarded: a signalled waiter of a condition, which waits for the mutex from now on. Mostly the
     * signaller holds it.
     *
     * @return the node to wake when the guard is left, because the mutex was free and is its now;
     *     otherwise null
     */
    @Nullable WaitNode<Object> addToQueue(WaitNode<Object> node) {
        queue.add(node);
        for (; ; ) {
            Object seen = OWNER.getVolatile(this);
            if (seen == CONTENDED) {
                return null;
            }
            holder = seen;
            if (OWNER.compareAndSet(this, seen, CONTENDED)) {
                return seen == null ? handOver() : null;
            }
        }
    }

    /** The caller, its holder, is about to let go of all its locks. */
    int takeNested() {
        int before = nested;
        nested = 0;
        return before;
    }

    /** Guarded: like unlock; the caller wakes the returned node. */
    @Nullable WaitNode<Object> releaseGuarded(Object me) {
        if (me instanceof Fiber<?> fiber) {
            letGo(fiber);
        }
        return handOver();
    }

    /** Whether a wait in its queue ended with the mutex; the caller then holds it. */
    boolean isRegained(@Nullable Object result, Object me) {
        if (result != OWNED) {
            return false;
        }
        noteHeld(me);
        return true;
    }

    /** The caller holds it again, as often as before. */
    void setNested(int before) {
        nested = before;
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        guard.enter(this);
        try {
            queue.checkInvariants();
            if (!queue.isEmpty() && OWNER.getVolatile(this) != CONTENDED) {
                throw new IllegalStateException("somebody waits for " + this + ", which is free");
            }
        } finally {
            guard.exit();
        }
    }

    @Override
    public String toString() {
        return (isLocal ? "local" : "shared")
                + (isReentrant ? " reentrant" : "")
                + " mutex @"
                + Integer.toHexString(System.identityHashCode(this));
    }
}
