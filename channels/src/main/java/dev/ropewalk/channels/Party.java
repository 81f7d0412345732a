package dev.ropewalk.channels;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Waiter;
import dev.ropewalk.fibers.Waits;

import org.jspecify.annotations.Nullable;

/**
 * A sender or receiver that waits at a channel: a link of its {@link WaitingLine} and one wait.
 *
 * <p>{@link #claim} decides, {@link #wake} makes the party run; between the two a giver lets go of
 * the channel's lock.
 */
abstract class Party<E> {
    /** What a sender brings; null for a receiver. */
    final @Nullable E element;

    /** Links of the line, and whether the party stands in it; confined to the channel. */
    @Nullable Party<E> previous;

    @Nullable Party<E> next;
    boolean isInLine;

    private Party(@Nullable E element) {
        this.element = element;
    }

    /** Ends the wait with the result; false if it is already over. */
    abstract boolean claim(Object result);

    /** After a claim that succeeded. */
    abstract void wake();

    /** Waits for the result; {@link Waits#TIMED_OUT} if the limit passed. */
    abstract @Nullable Object await(Object reason, long limitNanos);

    /** A fiber of the channel's own cord: a numbered wait, no atomic instruction. */
    static final class Local<E> extends Party<E> {
        private final Fiber<?> fiber = Fiber.current();
        private final long number = Waits.nextNumber();

        Local(@Nullable E element) {
            super(element);
        }

        @Override
        boolean claim(Object result) {
            return Waits.resume(fiber, number, result);
        }

        @Override
        void wake() {
            // The claim has put the fiber on the run queue.
        }

        @Override
        @Nullable Object await(Object reason, long limitNanos) {
            return Waits.park(reason, limitNanos);
        }
    }

    /** A fiber of any cord, or a plain thread. */
    static final class Shared<E> extends Party<E> {
        private final Waiter waiter = new Waiter();

        Shared(@Nullable E element) {
            super(element);
        }

        @Override
        boolean claim(Object result) {
            return waiter.claim(result);
        }

        @Override
        void wake() {
            waiter.wake();
        }

        @Override
        @Nullable Object await(Object reason, long limitNanos) {
            return waiter.await(reason, limitNanos);
        }
    }
}
