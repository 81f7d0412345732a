package dev.ropewalk.actors.cluster.entity;

import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;

import java.time.Instant;
import java.util.Objects;

/**
 * A durable entity as its functions see it, for one incarnation of its actor.
 *
 * @param <M> the type of the messages
 */
public final class EntityContext<M> {
    private final String key;
    private final ActorContext<M> actor;
    private final Changes<M> changes;

    /**
     * The things that a message changes beside the state. For the library, and for tests of a
     * server's functions.
     *
     * @param <M> the type of the messages
     */
    public interface Changes<M> {
        /**
         * As {@link EntityContext#deliver}.
         *
         * @param to the address
         * @param message the message
         */
        void deliver(ActorRef<?> to, Object message);

        /** {@return as {@link EntityContext#fence}} */
        default long fence() {
            return 0;
        }

        /**
         * As {@link EntityContext#remindAt}.
         *
         * @param name of the reminder
         * @param when it is due
         * @param message the message
         */
        void remindAt(String name, Instant when, M message);

        /**
         * As {@link EntityContext#forgetReminder}.
         *
         * @param name of the reminder
         */
        void forgetReminder(String name);
    }

    /**
     * For the library, and for tests of a server's functions.
     *
     * @param key of the entity
     * @param actor that it has now
     * @param changes takes what a message changes beside the state
     */
    public EntityContext(String key, ActorContext<M> actor, Changes<M> changes) {
        this.key = Objects.requireNonNull(key, "key");
        this.actor = Objects.requireNonNull(actor, "actor");
        this.changes = Objects.requireNonNull(changes, "changes");
    }

    /** {@return the key of the entity} */
    public String key() {
        return key;
    }

    /**
     * {@return the context of its actor} Its {@link ActorContext#self} is the address of the actor
     * that the entity has now, and leads nowhere when that one has stopped for idleness: give
     * others the entity's own address, {@link Entities#ref}.
     */
    public ActorContext<M> actor() {
        return actor;
    }

    /**
     * Delivers a message to a durable entity of the same host: it is stored with the state, in one
     * write, and then told until the receiver has handled it and written that. It counts once, also
     * across kill -9, and the messages of this entity to one receiver come in order, but in none
     * with those that it tells. A switchpoint.
     *
     * <p>A message whose function throws there is told again, after a second and then less and less
     * often, once a minute at least; those behind it wait. It has no reply: the receiver delivers
     * an answer.
     *
     * @param <T> the type of the message
     * @param to the address of an entity ({@link Entities#ref})
     * @param message such as a state may have
     * @throws IllegalArgumentException if the address is no durable entity of the same host
     * @throws IllegalStateException if no function of this entity runs, or 10,000 of its messages
     *     are not confirmed
     * @throws dev.ropewalk.actors.cluster.NotSendableException if the message cannot be stored
     */
    public <T> void deliver(ActorRef<T> to, T message) {
        changes.deliver(
                Objects.requireNonNull(to, "to"), Objects.requireNonNull(message, "message"));
    }

    /**
     * {@return the number of this entity's owner, greater than that of each one before} For effects
     * outside: a service that is told the number with each request, and refuses one that is smaller
     * than the greatest it has heard, takes nothing of a node that has lost the entity and does not
     * know it. Always 0 for entities of one process ({@link EntityHost}).
     */
    public long fence() {
        return changes.fence();
    }

    /**
     * Sets a reminder: a message to this entity at a time of the day. It is stored with the state,
     * in one write, and counts once, also across kill -9. It comes late rather than never: after
     * that time in any case, as soon as the process runs, and when the clock of the machine says
     * so, which is looked at once an hour at least. A switchpoint.
     *
     * @param name of the reminder; it takes the place of one that has it
     * @param when it is due
     * @param message such as a state may have
     * @throws IllegalStateException if no function of this entity runs, or it has 1,000 reminders
     * @throws dev.ropewalk.actors.cluster.NotSendableException if the message cannot be stored
     */
    public void remindAt(String name, Instant when, M message) {
        changes.remindAt(
                Objects.requireNonNull(name, "name"),
                Objects.requireNonNull(when, "when"),
                Objects.requireNonNull(message, "message"));
    }

    /**
     * Takes a reminder back. No effect if there is none of the name.
     *
     * @param name of the reminder
     * @throws IllegalStateException if no function of this entity runs
     */
    public void forgetReminder(String name) {
        changes.forgetReminder(Objects.requireNonNull(name, "name"));
    }
}
