package dev.ropewalk.fibers.spi;

import org.jspecify.annotations.Nullable;

/**
 * One alternative of a select: to receive from a channel, to send to one, the end of a fiber, an
 * event. Made by the object that it waits at; a {@link Selection} asks it, in this order: {@link
 * #begin}, {@link #isReady}, then {@link #take} or {@link #stand} and {@link #leave}, {@link #end},
 * {@link #result}.
 *
 * <p>It describes what is to be done, and keeps nothing of one select, so it may stand in several
 * of them, at the same time too. The methods are for {@link Selection} alone, but for {@link
 * #onlyIf}.
 *
 * @param <R> the type of the select's result
 */
public interface Clause<R extends @Nullable Object> {
    /** The answer of {@link #take} if the alternative is not ready after all. */
    Object NOT_READY =
            new Object() {
                @Override
                public String toString() {
                    return "NOT_READY";
                }
            };

    /**
     * {@return the guard of the object that it waits at, or null} With a guard, {@link #isReady},
     * {@link #readyInNanos}, {@link #take}, {@link #stand} and {@link #leave} are called inside it.
     */
    @Nullable Exclusion guard();

    /** {@return whether only fibers of the current cord can make it ready} */
    boolean isLocal();

    /**
     * {@return whether it could take effect now} May err if those that it would give to, or take
     * from, have given up; then {@link #take} takes them out of its queue.
     */
    boolean isReady();

    /**
     * {@return in how many nanoseconds it becomes ready by itself, as a ticker does; {@code
     * Long.MAX_VALUE} if only others make it ready} Asked while it is not ready; the select looks
     * again then.
     */
    default long readyInNanos() {
        return Long.MAX_VALUE;
    }

    /**
     * Takes effect if it can.
     *
     * @param by is told whom to wake when it has left the guards
     * @return what {@link #result} gets, or {@link #NOT_READY}
     */
    @Nullable Object take(Selection<?> by);

    /**
     * Puts a place of the wait where a giver finds it.
     *
     * @param wait the wait of the select
     * @return the place; {@link #result} gets its {@linkplain WaitNode.Place#given result}
     */
    WaitNode.Place<?> stand(WaitNode<?> wait);

    /**
     * Takes the place out, if it still stands there; by default out of its {@link WaitQueue}.
     *
     * @param place as {@link #stand} returned it
     */
    default void leave(WaitNode.Place<?> place) {
        place.leave();
    }

    /**
     * {@return the select's result; outside all guards, in its caller}
     *
     * @param given the value that {@link #take} returned, or that the place was claimed with
     */
    R result(@Nullable Object given);

    /**
     * The fiber of the select was abandoned after its place was claimed: nothing must be lost with
     * it. On the fiber's cord, outside all guards; must not wait.
     *
     * @param place as {@link #stand} returned it
     */
    default void reclaim(WaitNode.Place<?> place) {}

    /** The select begins; in its caller, before its switchpoint. */
    default void begin() {}

    /**
     * The select is over; in its caller, outside all guards.
     *
     * @param isTaken whether this is the alternative that took effect
     */
    default void end(boolean isTaken) {}

    /**
     * {@return this alternative if the condition holds, otherwise one that is never ready}
     *
     * @param condition asked once, by the caller
     */
    default Clause<R> onlyIf(boolean condition) {
        return condition ? this : Disabled.clause();
    }
}
