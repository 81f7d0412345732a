package dev.ropewalk.actors.supervision;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.internal.SupervisorCell;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.supervision.TooManyRestartsException;

/**
 * Starts actors, and starts them again when they fail: one for one, within an intensity, after a
 * back-off.
 *
 * <p>Its children's fibers are children of its fiber, on any cords, so none outlives it. A child
 * keeps its address and its mailbox across restarts. When there are more restarts than its
 * intensity allows it ends its children and fails with a {@link TooManyRestartsException}, and its
 * own supervisor decides; a system's root supervisor fails the fiber that started the system.
 *
 * <p>A child whose first start fails is not started again, and is no restart: the failure is told
 * to {@link Supervision#onFailure}, and to the caller of {@link #start}.
 *
 * <p>All methods work from any thread.
 */
public abstract sealed class Supervisor permits SupervisorCell {
    /** For the library. */
    protected Supervisor() {}

    /**
     * Starts an actor on the supervisor's cord, and does not wait. Messages told to it from now on
     * are kept for it.
     *
     * @param <M> the type of its messages
     * @param name the actor's name
     * @param actor how it is made
     * @return its address
     */
    public final <M> ActorRef<M> spin(String name, Actor<M> actor) {
        return spin(cord(), name, actor);
    }

    /**
     * Starts an actor on the given cord, and does not wait. Messages told to it from now on are
     * kept for it.
     *
     * @param <M> the type of its messages
     * @param cord where it runs
     * @param name the actor's name
     * @param actor how it is made
     * @return its address
     */
    public abstract <M> ActorRef<M> spin(Cord cord, String name, Actor<M> actor);

    /**
     * Starts an actor on the supervisor's cord, and waits until it is up: its factory has returned,
     * or its body begins. A switchpoint. If the caller is ended or cancelled meanwhile, so is the
     * actor.
     *
     * @param <M> the type of its messages
     * @param name the actor's name
     * @param actor how it is made
     * @return its address
     * @throws StartFailedException if it failed, or took longer than {@link
     *     Supervision#startLimit}; it is ended then, and never started again
     */
    public final <M> ActorRef<M> start(String name, Actor<M> actor) {
        return start(cord(), name, actor);
    }

    /**
     * Starts an actor on the given cord, and waits until it is up. A switchpoint.
     *
     * @param <M> the type of its messages
     * @param cord where it runs
     * @param name the actor's name
     * @param actor how it is made
     * @return its address
     * @throws StartFailedException if it failed, or took longer than {@link
     *     Supervision#startLimit}; it is ended then, and never started again
     */
    public abstract <M> ActorRef<M> start(Cord cord, String name, Actor<M> actor);

    /**
     * Starts a supervisor below this one, on the same cord.
     *
     * @param name its name
     * @param below how it works
     * @return the new supervisor
     */
    public abstract Supervisor supervise(String name, Supervision below);

    /** {@return how often this supervisor has started a child again} */
    public abstract long restarts();

    /** {@return the supervisor's name} */
    public abstract String name();

    /** {@return the cord on which it runs} */
    public abstract Cord cord();
}
