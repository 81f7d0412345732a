package dev.ropewalk.actors.cluster.entity;

import dev.ropewalk.actors.ActorContext;

import java.util.Objects;

/**
 * A durable entity as its functions see it, for one incarnation of its actor.
 *
 * @param <M> the type of the messages
 */
public final class EntityContext<M> {
    private final String key;
    private final ActorContext<M> actor;

    /**
     * For the library, and for tests of a server's functions.
     *
     * @param key of the entity
     * @param actor that it has now
     */
    public EntityContext(String key, ActorContext<M> actor) {
        this.key = Objects.requireNonNull(key, "key");
        this.actor = Objects.requireNonNull(actor, "actor");
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
}
