package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * One who waits at a channel, lock or the like: a place in a {@link WaitingLine} and one wait. Made
 * by {@link Guard#party}, awaited by {@link Guard#await}, claimed by {@link
 * WaitingLine#claimFirst}.
 *
 * <p>{@link #claim} decides, {@link #wake} makes the party run; between the two a giver lets go of
 * the guard.
 *
 * @param <E> what a party brings, or wants
 */
public abstract sealed class Party<E> {
    private final @Nullable E element;

    /** The line that the party stands in, and its links there; guarded. */
    @Nullable WaitingLine<E> line;

    @Nullable Party<E> previous;
    @Nullable Party<E> next;

    private Party(@Nullable E element) {
        this.element = element;
    }

    /** {@return what the party brings, or wants} */
    public final @Nullable E element() {
        return element;
    }

    /** {@return the fiber that waits, or the thread if it is none of a cord's} */
    public abstract Object who();

    /**
     * Ends the wait with the result. Called inside the guard.
     *
     * @param result what {@link Guard#await} returns there
     * @return false if the wait is already over; the result was not taken then
     */
    public abstract boolean claim(Object result);

    /** Makes the party run, after a claim that succeeded. Called outside the guard. */
    public abstract void wake();

    abstract @Nullable Object await(Object reason, long limitNanos);

    /** A fiber of the guard's own cord: a numbered wait, no atomic instruction. */
    static final class Local<E> extends Party<E> {
        private final Fiber<?> fiber = Fiber.current();
        private final long number = fiber.nextWaitNumber();

        Local(@Nullable E element) {
            super(element);
        }

        @Override
        public Object who() {
            return fiber;
        }

        @Override
        public boolean claim(Object result) {
            return fiber.resume(number, result);
        }

        @Override
        public void wake() {
            // The claim has put the fiber on the run queue.
        }

        @Override
        @Nullable Object await(Object reason, long limitNanos) {
            return fiber.parkFor(WaitKind.LIBRARY, reason, limitNanos);
        }
    }

    /** A fiber of any cord, or a plain thread. */
    static final class Shared<E> extends Party<E> {
        private final Waiter waiter = new Waiter();
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
        public void wake() {
            waiter.wake();
        }

        @Override
        @Nullable Object await(Object reason, long limitNanos) {
            return waiter.await(reason, limitNanos);
        }
    }
}
