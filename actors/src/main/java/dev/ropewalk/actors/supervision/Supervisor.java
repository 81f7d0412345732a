package dev.ropewalk.actors.supervision;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.supervision.TooManyRestartsException;

import java.util.List;

/**
 * Starts actors, and starts them again when they fail: by a {@link Strategy}, within an intensity,
 * after a back-off.
 *
 * <p>Its children's fibers are children of its fiber, on any cords, so none outlives it. A child
 * keeps its address and its mailbox across restarts. When there are more restarts than its
 * intensity allows it ends its children and fails with a {@link TooManyRestartsException}, and its
 * own supervisor decides; a system's root supervisor fails the fiber that started the system.
 *
 * <p>A child whose first start fails is not started again, and is no restart: the failure is told
 * to {@link Supervision#onFailure}, and to the caller of {@link #start}.
 *
 * <p>A child that is added by {@link #spin} or {@link #start} is forgotten when it is over for
 * good. A child of a {@link ChildSpec} is not, unless it is temporary: it can be restarted.
 *
 * <p>All methods work from any thread. Those that wait are switchpoints, and refuse to be called by
 * the supervisor itself, in a listener.
 */
public abstract sealed class Supervisor permits SupervisorCell {
    /** For the library. */
    protected Supervisor() {}

    /**
     * Starts an actor on the supervisor's cord, or by {@link Supervision#spread} on the next, and
     * does not wait. Messages told to it from now on are kept for it.
     *
     * @param <M> the type of its messages
     * @param name the actor's name, which no other child of the supervisor has
     * @param actor how it is made
     * @return its address
     * @throws IllegalArgumentException if another child has the name, or it is blank or has a
     *     {@code /}
     * @throws IllegalStateException if the system has been closed, or its root has ended
     */
    public final <M> ActorRef<M> spin(String name, Actor<M> actor) {
        return spin(placement(), name, actor);
    }

    /**
     * Starts an actor on the given cord, and does not wait. Messages told to it from now on are
     * kept for it.
     *
     * @param <M> the type of its messages
     * @param cord where it runs
     * @param name the actor's name, which no other child of the supervisor has
     * @param actor how it is made
     * @return its address
     * @throws IllegalArgumentException if another child has the name, or it is blank or has a
     *     {@code /}
     * @throws IllegalStateException if the system has been closed, or its root has ended
     */
    public abstract <M> ActorRef<M> spin(Cord cord, String name, Actor<M> actor);

    /**
     * Starts an actor without a name of its own where {@link #spin(String, Actor)} does. It is not
     * found by {@link dev.ropewalk.actors.ActorSystem#find}.
     *
     * @param <M> the type of its messages
     * @param actor how it is made
     * @return its address
     */
    public final <M> ActorRef<M> spin(Actor<M> actor) {
        return spin(placement(), actor);
    }

    /**
     * Starts an actor without a name of its own on the given cord, and does not wait. It is not
     * found by {@link dev.ropewalk.actors.ActorSystem#find}.
     *
     * @param <M> the type of its messages
     * @param cord where it runs
     * @param actor how it is made
     * @return its address
     */
    public abstract <M> ActorRef<M> spin(Cord cord, Actor<M> actor);

    /**
     * Starts an actor on the supervisor's cord, or by {@link Supervision#spread} on the next, and
     * waits until it is up: its factory has returned, or its body begins. A switchpoint. If the
     * caller is ended or cancelled meanwhile, so is the actor.
     *
     * @param <M> the type of its messages
     * @param name the actor's name, which no other child of the supervisor has
     * @param actor how it is made
     * @return its address
     * @throws IllegalArgumentException if another child has the name, or it is blank or has a
     *     {@code /}
     * @throws IllegalStateException if the system has been closed, or its root has ended
     * @throws dev.ropewalk.actors.StartFailedException if it failed, or took longer than {@link
     *     Supervision#startLimit}; it is ended then, and never started again
     */
    public final <M> ActorRef<M> start(String name, Actor<M> actor) {
        return start(placement(), name, actor);
    }

    /**
     * Starts an actor on the given cord, and waits until it is up. A switchpoint.
     *
     * @param <M> the type of its messages
     * @param cord where it runs
     * @param name the actor's name, which no other child of the supervisor has
     * @param actor how it is made
     * @return its address
     * @throws IllegalArgumentException if another child has the name, or it is blank or has a
     *     {@code /}
     * @throws IllegalStateException if the system has been closed, or its root has ended
     * @throws dev.ropewalk.actors.StartFailedException if it failed, or took longer than {@link
     *     Supervision#startLimit}; it is ended then, and never started again
     */
    public abstract <M> ActorRef<M> start(Cord cord, String name, Actor<M> actor);

    /**
     * Starts a supervisor below this one, on the same cord.
     *
     * @param name its name, which no other child of this supervisor has
     * @param below how it works
     * @return the new supervisor
     * @throws IllegalArgumentException if another child has the name, or it is blank or has a
     *     {@code /}
     * @throws IllegalStateException if the system has been closed, or its root has ended
     */
    public abstract Supervisor supervise(String name, Supervision below);

    /**
     * Adds a child and waits until it is up, a tree with all its children. A switchpoint.
     *
     * @param child what is started, as the youngest
     * @throws IllegalArgumentException if the child cannot work below this supervisor, or another
     *     one has its id
     * @throws dev.ropewalk.actors.StartFailedException if it did not start; it has ended, and is
     *     not a child, then. After the start limit the caller waits for that, within the stop limit
     *     of this supervisor
     */
    public abstract void add(ChildSpec<?> child);

    /**
     * Ends a child within its stop limit, and waits for its end. A child of a spec that is not
     * temporary stays known and can be {@linkplain #restart restarted}. A switchpoint.
     *
     * @param id its name
     * @throws IllegalArgumentException if there is no such child
     */
    public abstract void stop(String id);

    /**
     * Starts a child again that is stopped, and waits until it is up: as a new actor, with a new
     * address. A switchpoint.
     *
     * @param id its name
     * @throws IllegalArgumentException if there is no such child
     * @throws IllegalStateException if it is not stopped
     * @throws dev.ropewalk.actors.StartFailedException if it did not start; it stays stopped then
     */
    public abstract void restart(String id);

    /**
     * Forgets a child that is stopped. A switchpoint.
     *
     * @param id its name
     * @throws IllegalArgumentException if there is no such child
     * @throws IllegalStateException if it is not stopped
     */
    public abstract void remove(String id);

    /** {@return the children in the order of their start} A switchpoint. */
    public abstract List<ChildInfo> children();

    /**
     * {@return the supervisor that is a child of this one} A switchpoint.
     *
     * @param id its name
     * @throws IllegalArgumentException if there is no such child, or it is no supervisor
     */
    public final Supervisor supervisor(String id) {
        Supervisor found = info(id).supervisor();
        if (found == null) {
            throw new IllegalArgumentException(id + " below " + name() + " is an actor");
        }
        return found;
    }

    /**
     * {@return the address of the actor that was started by the spec} A switchpoint.
     *
     * @param <M> the type of its messages
     * @param spec a child of this supervisor
     * @throws IllegalArgumentException if there is no child of its id
     */
    @SuppressWarnings("unchecked") // a child of that spec takes M
    public final <M> ActorRef<M> actor(ActorSpec<M> spec) {
        ActorRef<?> found = info(spec.id()).actor();
        if (found == null) {
            throw new IllegalArgumentException(spec.id() + " below " + name() + " is a supervisor");
        }
        return (ActorRef<M>) found;
    }

    private ChildInfo info(String id) {
        for (ChildInfo child : children()) {
            if (child.id().equals(id)) {
                return child;
            }
        }
        throw new IllegalArgumentException(
                "supervisor "
                        + name()
                        + " has no child "
                        + id
                        + "; its children: "
                        + children().stream().map(ChildInfo::id).toList());
    }

    /** {@return how often this supervisor has started a child again} */
    public abstract long restarts();

    /** {@return the supervisor's name} */
    public abstract String name();

    /** {@return the cord of the next actor} For the library. */
    protected abstract Cord placement();

    /** {@return the cord on which it runs} */
    public abstract Cord cord();
}
