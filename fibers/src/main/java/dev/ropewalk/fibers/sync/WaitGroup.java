package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
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
 * <p>A gate that opens once after {@code n} pieces of news is a group to which {@code n} were added
 * and no more are; {@link #tryDone} is for news that several may tell.
 *
 * <p>Everything that a fiber or thread did before {@code done} happens before the {@code await}
 * returns that it releases.
 */
public final class WaitGroup {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private static final Object ZERO = new Object();

    private final Exclusion guard;
    private final WaitQueue<Object> queue = new WaitQueue<>();

    /** Written inside the guard only, and opaquely: no atomic instruction. */
    private final AtomicInteger count = new AtomicInteger();

    /** All that was ever added, for errors; guarded. */
    private long added;

    private WaitGroup(Exclusion guard) {
        this.guard = guard;
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
        int before = addUnlessTooMany(n);
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

    /** {@return the count before} */
    private int addUnlessTooMany(int n) {
        guard.enter(this);
        try {
            int before = count.getPlain();
            if (n <= Integer.MAX_VALUE - before) {
                count.setOpaque(before + n);
                added += n;
            }
            return before;
        } finally {
            guard.exit();
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
        return HandOver.toNew(spin, this::done, guard.isLocal());
    }

    /**
     * Counts one that is over; the last one releases all waiters. Never switches.
     *
     * @throws IllegalStateException if everything that was added is done already
     * @throws WrongThreadException if the group is local and another cord's
     */
    public void done() {
        if (!tryDone()) {
            throw new IllegalStateException(
                    "done() was called on "
                            + this
                            + " once more than the "
                            + added()
                            + " that were added; call add() before each thing begins, or tryDone()"
                            + " where several may tell of the same thing");
        }
    }

    /**
     * Counts one that is over, unless all are: for news that several may tell, of which one is
     * enough. The last one releases all waiters. Never switches.
     *
     * @return false if everything that was added is done already
     * @throws WrongThreadException if the group is local and another cord's
     */
    public boolean tryDone() {
        int before;
        List<WaitNode<Object>> released = List.of();
        guard.enter(this);
        try {
            before = count.getPlain();
            if (before > 0) {
                count.setOpaque(before - 1);
            }
            if (before == 1) {
                released = queue.claimAll(ZERO);
            }
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(released);
        return before > 0;
    }

    private long added() {
        guard.enter(this);
        try {
            return added;
        } finally {
            guard.exit();
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
        awaitZero(NO_LIMIT);
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
        return awaitZero(Waits.nanos(limit));
    }

    /** Waits until the count is zero, or was since the wait began; false if the limit passed. */
    private boolean awaitZero(long limitNs) {
        WaitNode<Object> node;
        guard.enterAtSwitchpoint(this);
        try {
            if (count.getPlain() == 0) {
                return true;
            }
            node = guard.node(null);
            queue.add(node);
        } finally {
            guard.exit();
        }
        return guard.await(node, this, limitNs) == ZERO;
    }

    /** {@return how many are not done yet; only a hint, from any thread} */
    public int count() {
        return count.getOpaque();
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        guard.enter(this);
        try {
            queue.checkInvariants();
            if (count.getPlain() < 0 || (count.getPlain() == 0 && !queue.isEmpty())) {
                throw new IllegalStateException(queue.size() + " wait for " + this);
            }
        } finally {
            guard.exit();
        }
    }

    @Override
    public String toString() {
        return (guard.isLocal() ? "local" : "shared")
                + " wait group @"
                + Integer.toHexString(System.identityHashCode(this))
                + ", "
                + count()
                + " not done";
    }
}
