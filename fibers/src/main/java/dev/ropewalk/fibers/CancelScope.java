package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.fiber.ScopeNode;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * A part of a fiber's run that can be cancelled by itself: by a time limit, or by {@link #cancel}.
 *
 * <p>{@link #cancelAfter} and {@link #moveOnAfter} are all that most code needs:
 *
 * {@snippet file="dev/ropewalk/fibers/SnippetsTest.java" region="cancelAfter"}
 *
 * <p>Cancellation is level-triggered: in a cancelled scope every switchpoint raises, also in its
 * {@code finally} blocks, until the block is left; only {@link #shielded} code may wait for its
 * clean-up. A switchpoint raises an {@code Error} that only this scope catches, so scopes nest: an
 * inner scope never takes the cancellation of an outer one, and a termination passes through all of
 * them. A block that is done in spite of the cancellation keeps its result, and nothing is left
 * behind.
 *
 * <p>A scope belongs to the fiber that made it and is for one block. {@link #cancel} works from any
 * thread; all other calls are confined to the fiber's cord. Fibers that the block spins are not
 * cancelled with it: they are children of the fiber, see {@link Scope} for those that end with a
 * block.
 *
 * <p>The semantics are those of the cancel scopes of Trio.
 */
public abstract sealed class CancelScope permits ScopeNode {
    /** For the one class of the library that implements it. */
    protected CancelScope() {}

    // ---------------------------------------------------------------- the short forms

    /**
     * Runs the block, for no longer than the limit: after it, the block's switchpoints raise.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param limit how long the block may take, from now
     * @param block runs at once, in this fiber
     * @return what the block returned
     * @throws FiberTimeoutException if the block was left because the limit had passed
     * @throws X what the block threw
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object, X extends Exception> T cancelAfter(
            Duration limit, Block<? extends T, X> block) throws X {
        return withLimit(limit).call(block);
    }

    /**
     * Like {@link #cancelAfter(Duration, Block)}, without a result.
     *
     * @param <X> what the block throws
     * @param limit how long the block may take, from now
     * @param block runs at once, in this fiber
     * @throws FiberTimeoutException if the block was left because the limit had passed
     * @throws X what the block threw
     */
    public static <X extends Exception> void cancelAfter(Duration limit, VoidBlock<X> block)
            throws X {
        withLimit(limit).run(block);
    }

    /**
     * Runs the block, for no longer than the limit, and goes on with another value if it was left.
     * If its clean-up fails and the block is left all the same, as where try-with-resources
     * suppresses the failure, the cord's uncaught handler is told. An exception from a {@code
     * finally} block replaces the cancellation, and this call throws it.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param limit how long the block may take, from now
     * @param other what is returned if the block was left
     * @param block runs at once, in this fiber
     * @return what the block returned, or {@code other}
     * @throws X what the block threw
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object, X extends Exception> T moveOnAfter(
            Duration limit, T other, Block<? extends T, X> block) throws X {
        return withLimit(limit).callOrElse(other, block);
    }

    /**
     * Runs the block, for no longer than the limit, and goes on after it. If its clean-up fails and
     * the block is left all the same, as where try-with-resources suppresses the failure, the
     * cord's uncaught handler is told. An exception from a {@code finally} block replaces the
     * cancellation, and this call throws it.
     *
     * @param <X> what the block throws
     * @param limit how long the block may take, from now
     * @param block runs at once, in this fiber
     * @return whether the block was done; false if it was left
     * @throws X what the block threw
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> boolean moveOnAfter(Duration limit, VoidBlock<X> block)
            throws X {
        return withLimit(limit).runOrLeave(block);
    }

    /**
     * Runs clean-up that has to wait: for the limit at most, exceptions raised from outside,
     * cancellations and terminations are held off. When the limit has passed the shield is gone,
     * and the next switchpoint raises whatever was held off. Scopes inside the block work as ever.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param limit how long the block is protected, from now
     * @param block runs at once, in this fiber
     * @return what the block returned
     * @throws X what the block threw
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object, X extends Exception> T shielded(
            Duration limit, Block<? extends T, X> block) throws X {
        return new ScopeNode(Waits.nanos(limit), true).call(block);
    }

    /**
     * Like {@link #shielded(Duration, Block)}, without a result.
     *
     * @param <X> what the block throws
     * @param limit how long the block is protected, from now
     * @param block runs at once, in this fiber
     * @throws X what the block threw
     */
    public static <X extends Exception> void shielded(Duration limit, VoidBlock<X> block) throws X {
        new ScopeNode(Waits.nanos(limit), true).run(block);
    }

    // ---------------------------------------------------------------- a scope as an object

    /**
     * {@return a scope of the current fiber with a time limit, which starts with its block}
     *
     * @param limit how long its block may take
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static CancelScope withLimit(Duration limit) {
        return new ScopeNode(Waits.nanos(limit), false);
    }

    /**
     * {@return a scope of the current fiber that only {@link #cancel} cancels}
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static CancelScope withoutLimit() {
        return new ScopeNode(ScopeNode.NO_LIMIT, false);
    }

    /**
     * Runs the block in this scope.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param block runs at once, in this fiber
     * @return what the block returned
     * @throws FiberTimeoutException if the block was left because the limit had passed
     * @throws CancelledException if the block was left because of {@link #cancel}
     * @throws X what the block threw
     * @throws IllegalStateException if this scope had a block already, or is another fiber's
     */
    public <T extends @Nullable Object, X extends Exception> T call(Block<? extends T, X> block)
            throws X {
        Objects.requireNonNull(block, "block");
        ScopeNode node = (ScopeNode) this;
        node.enter();
        try {
            return block.run();
        } catch (Throwable thrown) {
            Unwind.Cancel mine = node.mine(thrown);
            if (mine == null) {
                throw thrown;
            }
            throw node.outcome(mine);
        } finally {
            node.leave();
        }
    }

    /**
     * Like {@link #call}, without a result.
     *
     * @param <X> what the block throws
     * @param block runs at once, in this fiber
     * @throws FiberTimeoutException if the block was left because the limit had passed
     * @throws CancelledException if the block was left because of {@link #cancel}
     * @throws X what the block threw
     * @throws IllegalStateException if this scope had a block already, or is another fiber's
     */
    public <X extends Exception> void run(VoidBlock<X> block) throws X {
        Objects.requireNonNull(block, "block");
        this.<@Nullable Object, X>call(
                () -> {
                    block.run();
                    return null;
                });
    }

    /**
     * Runs the block in this scope, and goes on with another value if it was left. If its clean-up
     * fails and the block is left all the same, as where try-with-resources suppresses the failure,
     * the cord's uncaught handler is told. An exception from a {@code finally} block replaces the
     * cancellation, and this call throws it.
     *
     * @param <T> the type of the result
     * @param <X> what the block throws
     * @param other what is returned if the block was left
     * @param block runs at once, in this fiber
     * @return what the block returned, or {@code other}
     * @throws X what the block threw
     * @throws IllegalStateException if this scope had a block already, or is another fiber's
     */
    public <T extends @Nullable Object, X extends Exception> T callOrElse(
            T other, Block<? extends T, X> block) throws X {
        Objects.requireNonNull(block, "block");
        ScopeNode node = (ScopeNode) this;
        node.enter();
        try {
            return block.run();
        } catch (Throwable thrown) {
            Unwind.Cancel mine = node.mine(thrown);
            if (mine == null) {
                throw thrown;
            }
            node.tellHidden(mine);
            return other;
        } finally {
            node.leave();
        }
    }

    /**
     * Runs the block in this scope, and goes on after it. If its clean-up fails and the block is
     * left all the same, as where try-with-resources suppresses the failure, the cord's uncaught
     * handler is told. An exception from a {@code finally} block replaces the cancellation, and
     * this call throws it.
     *
     * @param <X> what the block throws
     * @param block runs at once, in this fiber
     * @return whether the block was done; false if it was left
     * @throws X what the block threw
     * @throws IllegalStateException if this scope had a block already, or is another fiber's
     */
    public <X extends Exception> boolean runOrLeave(VoidBlock<X> block) throws X {
        Objects.requireNonNull(block, "block");
        return this.<Boolean, X>callOrElse(
                false,
                () -> {
                    block.run();
                    return true;
                });
    }

    /**
     * Cancels the scope: its block is left at its next switchpoint, or where it waits now. Works
     * from any thread and does not wait; no effect on a scope that is cancelled or left already.
     */
    public abstract void cancel();

    /**
     * Starts the time limit again, from now.
     *
     * @return false if it is too late: the scope is cancelled or left already
     * @throws IllegalStateException if the scope has no time limit
     * @throws WrongThreadException if called on another cord than the fiber's
     */
    public abstract boolean reset();

    /**
     * Gives the scope another time limit, from now. A scope that has not begun starts with it.
     *
     * @param limit how long the block may still take
     * @return false if it is too late: the scope is cancelled or left already
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws WrongThreadException if called on another cord than the fiber's
     */
    public abstract boolean reset(Duration limit);

    /**
     * {@return whether the scope was cancelled, by its limit or by a call; from elsewhere a hint}
     */
    public abstract boolean isCancelled();
}
