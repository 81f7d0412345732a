package dev.ropewalk.fibers;

import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

/**
 * The body of a fiber that keeps no stack between its turns: each resume value is one call.
 *
 * <p>A turn may wait like any other code of a fiber; only then does the fiber get a stack, and only
 * until the turn ends (rule F3).
 */
public interface Handler {
    /** The value of the first turn, which comes right after the fiber was spun. */
    Object START = new Object();

    /** Returned by a turn: wait for the next value. */
    Object WAIT = new Object();

    /** The reason of a handler's wait, unless it {@linkplain #waitsFor gives another}. */
    Object NEXT_MESSAGE = "its next message";

    /** Returned by a turn: the fiber is over. */
    Object END = new Object();

    /**
     * Handles one resume value on the fiber's cord.
     *
     * @param value {@link #START} in the first turn, then what {@link Waits#resumeHandler} gave
     * @return {@link #WAIT}, {@link #END}, or the value of the next turn, which then comes after
     *     the fibers that are runnable now
     * @throws Exception whatever the turn throws ends the fiber with that failure
     */
    @Nullable Object handle(@Nullable Object value) throws Exception;

    /**
     * {@return what reports say it waits for between two turns} Called on its cord; must not wait.
     */
    default Object waitsFor() {
        return NEXT_MESSAGE;
    }

    /**
     * Called on its cord when the fiber ends and there are fibers below it, before they are
     * terminated; perhaps again, if {@link #cleanUp} makes others. Not called if the fiber is
     * abandoned where it waits. It must not wait, and must not throw.
     *
     * @param fiber the fiber, which has had its last turn, or never had one
     */
    default void endsChildren(Fiber<?> fiber) {}

    /**
     * Called once on the fiber itself, after its last turn, when the fibers below it have ended and
     * before it is over. It may wait: the fiber is shielded, so nothing ends it early but the stop
     * limit of its parent. Not called if the fiber is abandoned.
     *
     * @param fiber the fiber, which has had its last turn, or never had one
     * @param failure as for {@link #onEnd}
     * @throws Exception is suppressed by the failure or the end; otherwise it is the failure
     */
    default void cleanUp(Fiber<?> fiber, @Nullable Throwable failure) throws Exception {}

    /**
     * Called once when the fiber is over, whatever ended it, even if it never had a turn; on its
     * cord, or on any thread if the cord has ended. It must not wait.
     *
     * @param fiber the fiber that is over
     * @param failure null after {@link #END}; a {@link FiberTerminatedException} or a {@link
     *     FiberAbandonedException} if that is how this fiber ended; otherwise what a turn threw,
     *     wrapped if it is the end of another fiber
     * @return true if the failure is taken care of; otherwise it cancels the parent's body
     */
    default boolean onEnd(Fiber<?> fiber, @Nullable Throwable failure) {
        return false;
    }
}
