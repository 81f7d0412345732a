package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * Waits until everything that was begun is done: {@link #add} before something begins, {@link
 * #done} when it is over, {@link #await} for the moment at which all is over.
 *
 * <p>It may be used again and again: when the count has come to zero, the next {@code add} begins
 * anew. A waiter that was there when the count came to zero is released, even if more is added
 * after that. A group does not know which fiber is to call {@code done}: one that is ended before
 * it begins never does, so a new fiber is counted by {@link #spin(String, Callable)}. For fibers
 * that end with a block see {@link dev.ropewalk.fibers.Scope}.
 *
 * <p>Everything that a fiber or thread did before {@code done} happens before the {@code await}
 * returns that it releases.
 */
public final class WaitGroup {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final CountToZero count;

    private WaitGroup(Exclusion guard) {
        this.count = new CountToZero(guard, this, 0);
    }

    /** {@return an empty group for fibers of any cord and plain threads} */
    public static WaitGroup shared() {
        return new WaitGroup(Exclusion.byLock());
    }

    /**
     * {@return an empty group for the fibers of the current cord}
     *
     * @throws IllegalStateException if this thread is no cord
     */
    public static WaitGroup local() {
        return new WaitGroup(Exclusion.byCord("make it with WaitGroup.shared()"));
    }

    /**
     * Counts one more that has to be done. Never switches.
     *
     * @throws IllegalStateException if the count is {@code Integer.MAX_VALUE} already
     * @throws WrongThreadException if the group is local and another cord's
     */
    public void add() {
        add(1);
    }

    /**
     * Counts some more that have to be done. Never switches.
     *
     * @param n how many; 0 changes nothing
     * @throws IllegalArgumentException if n is negative
     * @throws IllegalStateException if the count would be more than {@code Integer.MAX_VALUE};
     *     nothing was added then
     * @throws WrongThreadException if the group is local and another cord's
     */
    public void add(int n) {
        if (n < 0) {
            throw new IllegalArgumentException(
                    "n=" + n + " is negative; call done() for each thing that is over");
        }
        int before = count.add(n);
        if (n > Integer.MAX_VALUE - before) {
            throw new IllegalStateException(
                    "count="
                            + before
                            + " plus n="
                            + n
                            + " is more than "
                            + Integer.MAX_VALUE
                            + " in "
                            + this
                            + "; call done() for each thing that is over");
        }
    }

    /**
     * Counts one more, and spins a fiber that is it: it is counted as done when it is over, however
     * it ended; also if it was ended before it began, when no {@code finally} of its body runs.
     * Never switches.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs; it does not call {@code done}
     * @return the new fiber, a child of the caller on the current cord
     * @throws IllegalStateException if no fiber runs on this thread, or the count is {@code
     *     Integer.MAX_VALUE} already
     * @throws dev.ropewalk.fibers.TooManyFibersException if the cord has as many fibers as it may;
     *     nothing is counted then
     * @throws WrongThreadException if the group is local and another cord's
     */
    public <T extends @Nullable Object> Fiber<T> spin(String name, Callable<? extends T> body) {
        return spin(() -> Fiber.<T>spin(name, body));
    }

    /**
     * Like {@link #spin(String, Callable)}, without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs; it does not call {@code done}
     * @return the new fiber, a child of the caller on the current cord
     * @throws IllegalStateException if no fiber runs on this thread, or the count is {@code
     *     Integer.MAX_VALUE} already
     * @throws dev.ropewalk.fibers.TooManyFibersException if the cord has as many fibers as it may;
     *     nothing is counted then
     * @throws WrongThreadException if the group is local and another cord's
     */
    public Fiber<@Nullable Void> spin(String name, Action body) {
        return spin(() -> Fiber.spin(name, body));
    }

    /**
     * Like {@link #spin(String, Callable)}, for a fiber that a scope, a scheduler or another cord
     * spins: {@code group.spin(() -> scheduler.spin("part", body))}.
     *
     * @param <F> the type of the fiber
     * @param spin spins the fiber; runs at once. This call throws its exceptions, and nothing is
     *     counted then
     * @return what {@code spin} returned
     * @throws IllegalStateException if the count is {@code Integer.MAX_VALUE} already
     * @throws WrongThreadException if the group is local and another cord's
     */
    public <F extends Fiber<?>> F spin(Supplier<? extends F> spin) {
        Objects.requireNonNull(spin, "spin");
        add();
        return HandOver.toNew(spin, this::done, count.isLocal());
    }

    /**
     * Counts one that is over; the last one releases all waiters. Never switches.
     *
     * @throws IllegalStateException if everything that was added is done already
     * @throws WrongThreadException if the group is local and another cord's
     */
    public void done() {
        int before = count.countDown();
        if (before == 0) {
            throw new IllegalStateException(
                    "done() was called on "
                            + this
                            + " once more than the "
                            + count.added()
                            + " that were added; call add() before each thing begins");
        }
    }

    /**
     * Waits until all is done. A switchpoint, also if all is.
     *
     * @throws WrongThreadException if the group is local and another cord's
     * @throws IllegalStateException if it would have to wait where no fiber runs on a cord
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public void await() {
        count.await(NO_LIMIT);
    }

    /**
     * Waits until all is done, no longer than the limit. A switchpoint, also if all is.
     *
     * @param limit how long to wait; may be zero
     * @return false if the limit passed
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws WrongThreadException if the group is local and another cord's
     * @throws IllegalStateException if it would have to wait where no fiber runs on a cord
     * @throws dev.ropewalk.fibers.WaitInterruptedException if a plain thread was interrupted
     */
    public boolean await(Duration limit) {
        return count.await(Waits.nanos(limit));
    }

    /** {@return how many are not done yet; only a hint, from any thread} */
    public int count() {
        return count.hint();
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        count.checkInvariants();
    }

    @Override
    public String toString() {
        return (count.isLocal() ? "local" : "shared")
                + " wait group @"
                + Integer.toHexString(System.identityHashCode(this))
                + ", "
                + count()
                + " not done";
    }
}
