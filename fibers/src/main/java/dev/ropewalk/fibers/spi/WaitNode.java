package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.GuardedWait;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.fiber.WaitSlot;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * A waiter at a channel, lock or the like: a place in a {@link WaitQueue} and one wait. Made by
 * {@link Exclusion#node}, awaited by {@link Exclusion#await}, claimed by {@link
 * WaitQueue#claimFirst}.
 *
 * <p>{@link #claim} decides, {@link #wake} makes the node run; between the two a giver lets go of
 * the guard.
 *
 * @param <E> what a node brings, or wants
 */
public abstract sealed class WaitNode<E> {
    private @Nullable E element;

    /**
     * The object that is waited for, so that the node can stand for its reason; null unless it
     * waits.
     */
    private @Nullable Object guarded;

    /** The guard of the queue; null if only its places stand in queues. */
    private @Nullable Exclusion guard;

    /** The wait has a limit; set when it begins. */
    private boolean isLimited;

    /** The queue that the node stands in, and its links there; guarded. */
    @Nullable WaitQueue<E> queue;

    @Nullable WaitNode<E> previous;
    @Nullable WaitNode<E> next;

    private WaitNode(@Nullable E element) {
        this.element = element;
    }

    final void setElement(@Nullable E brought) {
        element = brought;
    }

    /** {@return what the node brings, or wants} */
    public final @Nullable E element() {
        return element;
    }

    /** {@return the fiber that waits, or the thread if no fiber waits} */
    public abstract Object who();

    /**
     * Ends the wait with the result. Called inside the guard.
     *
     * @param result what {@link Exclusion#await} returns there
     * @return false if the wait is already over; the result was not taken then
     */
    public abstract boolean claim(Object result);

    /**
     * {@return whether a claim may still succeed} False for a node that gave up, or whose fiber was
     * abandoned, and that still stands in its queue. Called inside the guard; for a shared one only
     * a hint, because it can change at once.
     */
    public abstract boolean isWaiting();

    /**
     * {@return another place for the same wait, to stand in another queue} So one wait can stand in
     * several queues: a claim of one place claims the wait, and the other places find it over. The
     * node itself is awaited, and its result is the place that was claimed; it stands in no queue
     * then, and the waiter takes each place out of its queue when the wait has ended, however it
     * ended.
     *
     * @param <F> what is brought to, or wanted from, that queue
     * @param brought what it brings, or wants
     */
    public final <F> Place<F> place(@Nullable F brought) {
        return new Place<>(this, brought);
    }

    /** Makes the node run, after a claim that succeeded. Called outside the guard. */
    public abstract void wake();

    abstract @Nullable Object await(long limitNanos);

    /**
     * Waits for a claim of one of its places; the caller takes them out of their queues.
     *
     * @return the place, or {@link Waits#TIMED_OUT}
     */
    final @Nullable Object awaitPlaced(Handoff by, long limitNanos) {
        try {
            begin(null, by, limitNanos);
            return await(limitNanos);
        } finally {
            end();
        }
    }

    final void begin(@Nullable Exclusion by, Object what, long limitNanos) {
        isLimited = limitNanos != Long.MAX_VALUE;
        guard = by;
        guarded = what;
    }

    /**
     * However the wait ended; not if the fiber was abandoned in it, because then no clean-up runs.
     */
    final void end() {
        guard = null;
        guarded = null;
    }

    final void leaveQueue(Exclusion by, Object what) {
        by.enter(what);
        try {
            leaveQueue();
        } finally {
            by.exit();
        }
    }

    /** Guarded. */
    private void leaveQueue() {
        WaitQueue<E> stoodIn = queue;
        if (stoodIn != null) {
            stoodIn.remove(this);
        }
    }

    /**
     * The fiber was abandoned, perhaps in this wait: nothing is lost with it, and no other waits
     * for it.
     *
     * @param given the value that ended the wait in the last moment; null if it was not
     */
    final void giveBack(@Nullable Object given) {
        Exclusion by = guard;
        Object what = guarded;
        if (what == null) {
            return; // it was over before
        }
        end();
        if (by != null) {
            leaveQueue(by, what);
        }
        if (what instanceof Handoff giver) {
            try {
                if (given != null) {
                    giver.reclaim(this, given);
                }
            } finally {
                giver.abandoned(this);
            }
        }
    }

    /** The object that is waited for, as reports show it. */
    @Override
    public final String toString() {
        return String.valueOf(guarded);
    }

    final @Nullable Object guardedBy() {
        return guarded;
    }

    final boolean hasLimit() {
        return isLimited;
    }

    /** A fiber of the guard's own cord: a numbered wait, no atomic instruction. */
    static final class Local<E> extends WaitNode<E> implements GuardedWait {
        /** Null between two waits. */
        private @Nullable FiberImpl<?> fiber;

        private long number;

        Local(@Nullable E element) {
            super(element);
            begin();
        }

        private void begin() {
            FiberImpl<?> caller = FiberImpl.current();
            fiber = caller;
            number = caller.nextWaitNumber();
        }

        /** The same object as another wait. */
        void renew(@Nullable E brought) {
            setElement(brought);
            begin();
        }

        /** The wait is over, and another may follow: holds nothing meanwhile. */
        void forget() {
            setElement(null);
            fiber = null;
        }

        private FiberImpl<?> fiber() {
            return Objects.requireNonNull(fiber, "a wait that is over");
        }

        @Override
        public Object who() {
            return fiber();
        }

        @Override
        public boolean claim(Object result) {
            return fiber().resume(number, result);
        }

        @Override
        public boolean isWaiting() {
            return fiber().isOpen(number);
        }

        @Override
        public void wake() {
            // The claim has put the fiber on the run queue.
        }

        @Override
        @Nullable Object await(long limitNanos) {
            return fiber().parkFor(WaitKind.LIBRARY, this, limitNanos);
        }

        @Override
        public @Nullable Object guarded() {
            return guardedBy();
        }

        @Override
        public boolean isLimited() {
            return hasLimit();
        }

        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public void abandoned(FiberImpl<?> gone, @Nullable Object given) {
            if (fiber == gone) {
                giveBack(given);
            }
        }
    }

    /** A fiber of any cord, or a plain thread. */
    static final class Shared<E> extends WaitNode<E> implements GuardedWait {
        private final WaitSlot waiter = new WaitSlot();
        private final Object who;

        Shared(@Nullable E element) {
            super(element);
            Fiber<?> fiber = waiter.fiber();
            this.who = fiber == null ? Thread.currentThread() : fiber;
        }

        @Override
        public Object who() {
            return who;
        }

        @Override
        public boolean claim(Object result) {
            return waiter.claim(result);
        }

        @Override
        public boolean isWaiting() {
            return waiter.isWaiting();
        }

        @Override
        public void wake() {
            waiter.wake();
        }

        @Override
        @Nullable Object await(long limitNanos) {
            return waiter.await(this, limitNanos);
        }

        @Override
        public @Nullable Object guarded() {
            return guardedBy();
        }

        @Override
        public boolean isLimited() {
            return hasLimit();
        }

        @Override
        public boolean isLocal() {
            return false;
        }

        @Override
        public void abandoned(FiberImpl<?> gone, @Nullable Object given) {
            giveBack(given); // made for one wait
        }
    }

    /**
     * One of several places of a wait. It carries the value that it was claimed with, and one step
     * of the giver puts the place into the wait: so the waiter knows both, and which place it was.
     *
     * @param <E> what the place brings, or wants
     */
    public static final class Place<E> extends WaitNode<E> {
        private final WaitNode<?> wait;

        /** Written inside the guard of its queue before the claim; meaningless if that fails. */
        private @Nullable Object given;

        private Place(WaitNode<?> wait, @Nullable E element) {
            super(element);
            this.wait = wait;
        }

        /** {@return what the place was claimed with; for the waiter, if this place was claimed} */
        public @Nullable Object given() {
            return given;
        }

        /** Takes it out of its queue, if it still stands there. Called inside the guard. */
        public void leave() {
            super.leaveQueue();
        }

        @Override
        public Object who() {
            return wait.who();
        }

        @Override
        public boolean claim(Object result) {
            given = result;
            return wait.claim(this);
        }

        @Override
        public boolean isWaiting() {
            return wait.isWaiting();
        }

        @Override
        public void wake() {
            wait.wake();
        }

        @Override
        @Nullable Object await(long limitNanos) {
            throw new IllegalStateException(
                    "a place of "
                            + who()
                            + " was awaited for "
                            + this
                            + "; await the node that it was made of");
        }
    }
}
