package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.FiberLoop;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.report.WaitCycle;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The guard of the state of a channel, a lock or the like: confined to one cord, which takes no
 * atomic instruction, or by one short lock, for fibers of any cord and plain threads. So one
 * algorithm serves both.
 *
 * <p>A call that may wait begins with {@link #switchpoint}; one that only tries, or gives back,
 * does not. Between {@link #enter} and {@link #exit} there is no switchpoint and no code of the
 * user. A caller that has to wait makes a {@link #node} inside the guard, puts it into a queue,
 * leaves the guard, and calls {@link #await}.
 */
public abstract sealed class Exclusion {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private Exclusion() {}

    /**
     * {@return a guard for an object that only fibers of the current cord use}
     *
     * @param remedy told to a caller from elsewhere: how to make one that is shared
     * @throws IllegalStateException if this thread is no cord
     */
    public static Exclusion byCord(String remedy) {
        return new Local(CordImpl.current(), remedy);
    }

    /** {@return a guard for an object that fibers of any cord and plain threads use} */
    public static Exclusion byLock() {
        return new Shared();
    }

    /**
     * Begins a guarded section.
     *
     * @param guarded the object that has the state, for the error
     * @throws WrongThreadException if the guard is another cord's
     */
    public abstract void enter(Object guarded);

    /** Ends a guarded section. */
    public abstract void exit();

    /**
     * {@return the calling fiber, or the thread if no fiber calls}
     *
     * @param guarded the object that has the state, for the error
     * @throws WrongThreadException if the guard is another cord's
     */
    public abstract Object caller(Object guarded);

    /**
     * Begins a call of the user's that may wait, also one that need not: makes it a switchpoint, as
     * {@link Waits#switchpoint} does. Called outside the guard, before anything is taken or given.
     *
     * @param guarded the object that is used, for the error
     * @throws WrongThreadException if the guard is another cord's
     */
    public abstract void switchpoint(Object guarded);

    /**
     * Begins a guarded section of a call that may wait: {@link #switchpoint}, then {@link #enter}.
     *
     * @param guarded the object that is used, for the error
     * @throws WrongThreadException if the guard is another cord's
     */
    public abstract void enterAtSwitchpoint(Object guarded);

    /** {@return the short way of calls that need not wait; null if the guard is shared} */
    public @Nullable ShortWay shortWay() {
        return null;
    }

    /**
     * Begins a call that may wait: {@link #switchpoint}, then {@link #caller}.
     *
     * @param guarded the object that is used, for the error
     * @return the calling fiber, or the thread if no fiber calls
     * @throws WrongThreadException if the guard is another cord's
     * @throws IllegalStateException if the guard is local and no fiber runs at the moment
     */
    public abstract Object callerAtSwitchpoint(Object guarded);

    /** {@return whether it confines to one cord} */
    public abstract boolean isLocal();

    /** {@return the cord that it confines to, or null} From any thread. */
    public abstract @Nullable Cord cord();

    /** The place of its lock in the order in which several are taken. */
    abstract long number();

    /**
     * {@return a wait of the caller; made inside the guard}
     *
     * @param <E> what a node brings, or wants
     * @param element what it brings, or wants
     * @throws IllegalStateException if the thread is a cord and no fiber runs on it at the moment
     */
    public abstract <E> WaitNode<E> node(@Nullable E element);

    /**
     * {@return the node of a finished wait for reuse by {@link #nodeAgain}; null for a node of
     * several cords, which is not reused} With this a wait for each element allocates nothing on
     * one cord. The {@link #await} of the node has returned the result of a claim, and the node is
     * not asked any more.
     *
     * @param <E> what a node brings, or wants
     * @param over what was awaited
     */
    public <E> @Nullable WaitNode<E> used(WaitNode<E> over) {
        return null;
    }

    /**
     * {@return a wait of the caller, like {@link #node}, by an object that was used before}
     *
     * @param <E> what a node brings, or wants
     * @param used the result of {@link #used}, given to one call only, or null
     * @param element what it brings, or wants
     * @throws IllegalStateException if the thread is a cord and no fiber runs on it at the moment
     */
    public <E> WaitNode<E> nodeAgain(@Nullable WaitNode<E> used, @Nullable E element) {
        return node(element);
    }

    /**
     * Refuses a wait that would close a circle of fibers which wait for each other, each for a
     * thing that the next one holds, or for its end (rule F9). Only fibers of the caller's cord are
     * followed, and only waits without a limit: a caller in a {@link CancelScope} with a limit is
     * not refused. Called before the wait, outside the guard.
     *
     * @param wanted what the caller is about to wait for
     * @param limitNanos the limit of that wait in nanoseconds; {@code Long.MAX_VALUE} for none
     * @throws DeadlockException if the holder waits for the caller, directly or through others
     */
    public static void refuseCycle(HasHolder wanted, long limitNanos) {
        if (limitNanos == Long.MAX_VALUE) {
            WaitCycle.check(wanted);
        }
    }

    /**
     * Waits until the node is claimed, or until the limit passes. A switchpoint, outside the guard.
     * However the wait ends, the node stands in no queue afterwards, so it eats nothing. If the
     * fiber is abandoned here, and the guarded object is a {@link Handoff}, that object gets back
     * the value that the fiber was given, and is told.
     *
     * @param <E> what a node brings, or wants
     * @param node the caller's, in a queue
     * @param guarded the object that is waited for; its {@code toString} is shown in reports
     * @param limitNanos the limit in nanoseconds; {@code Long.MAX_VALUE} for none
     * @return the result of the claim, or {@link Waits#TIMED_OUT}
     * @throws WaitInterruptedException if a plain thread was interrupted; nothing was taken
     */
    public final <E> @Nullable Object await(WaitNode<E> node, Object guarded, long limitNanos) {
        Object result = Waits.TIMED_OUT;
        try {
            node.begin(this, guarded, limitNanos);
            result = node.await(limitNanos);
        } finally {
            node.end();
            if (result == Waits.TIMED_OUT) {
                node.leaveQueue(this, guarded);
            }
        }
        return result;
    }

    private static final class Local extends Exclusion {
        private final CordImpl cord;

        /** The cord's: fewer loads for each call. */
        private final FiberLoop loop;

        private final String remedy;

        Local(CordImpl cord, String remedy) {
            this.cord = cord;
            this.loop = cord.loop;
            this.remedy = remedy;
        }

        @Override
        public void enter(Object guarded) {
            if (!loop.isCurrent()) {
                throw wrongThread(guarded);
            }
        }

        @Override
        public void exit() {
            // Nothing was locked.
        }

        @Override
        public FiberImpl<?> caller(Object guarded) {
            enter(guarded);
            FiberImpl<?> running = loop.running();
            if (running == null) {
                throw new IllegalStateException(
                        "no fiber runs on " + cord + " at the moment, so none can use " + guarded);
            }
            return running;
        }

        @Override
        public void switchpoint(Object guarded) {
            enterAtSwitchpoint(guarded);
        }

        @Override
        public void enterAtSwitchpoint(Object guarded) {
            enter(guarded);
            FiberImpl<?> running = loop.mayBeDue ? loop.running() : null;
            if (running != null) {
                running.switchpoint();
            }
        }

        @Override
        public ShortWay shortWay() {
            ShortWay ofCord = loop.shortWay;
            if (ofCord == null) {
                ofCord = new ShortWay(loop);
                loop.shortWay = ofCord;
            }
            return ofCord;
        }

        @Override
        public Object callerAtSwitchpoint(Object guarded) {
            FiberImpl<?> running = caller(guarded);
            running.switchpoint();
            return running;
        }

        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public Cord cord() {
            return cord;
        }

        @Override
        long number() {
            return 0;
        }

        @Override
        public <E> WaitNode<E> node(@Nullable E element) {
            return new WaitNode.Local<>(element);
        }

        @Override
        public <E> @Nullable WaitNode<E> used(WaitNode<E> over) {
            ((WaitNode.Local<E>) over).forget();
            return over;
        }

        @Override
        public <E> WaitNode<E> nodeAgain(@Nullable WaitNode<E> used, @Nullable E element) {
            if (used instanceof WaitNode.Local<E> old) {
                old.renew(element);
                return old;
            }
            return node(element);
        }

        private WrongThreadException wrongThread(Object guarded) {
            return new WrongThreadException(
                    guarded
                            + " belongs to "
                            + cord
                            + " but was used by "
                            + Thread.currentThread()
                            + "; "
                            + remedy
                            + " to use it from other cords and threads");
        }
    }

    private static final class Shared extends Exclusion {
        private final BriefLock lock = new BriefLock();
        private final long number = NUMBERS.incrementAndGet();

        @Override
        public void enter(Object guarded) {
            lock.enter();
        }

        @Override
        public void exit() {
            lock.exit();
        }

        @Override
        public Object caller(Object guarded) {
            FiberImpl<?> fiber = FiberImpl.currentOrNull();
            return fiber == null ? Thread.currentThread() : fiber;
        }

        @Override
        public void switchpoint(Object guarded) {
            Waits.switchpoint();
        }

        @Override
        public void enterAtSwitchpoint(Object guarded) {
            Waits.switchpoint();
            lock.enter();
        }

        @Override
        public Object callerAtSwitchpoint(Object guarded) {
            FiberImpl<?> fiber = FiberImpl.currentOrNull();
            if (fiber == null) {
                return Thread.currentThread();
            }
            fiber.switchpoint();
            return fiber;
        }

        @Override
        public boolean isLocal() {
            return false;
        }

        @Override
        public @Nullable Cord cord() {
            return null;
        }

        @Override
        long number() {
            return number;
        }

        @Override
        public <E> WaitNode<E> node(@Nullable E element) {
            return new WaitNode.Shared<>(element);
        }
    }
}
