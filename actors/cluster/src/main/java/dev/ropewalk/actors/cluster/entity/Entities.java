package dev.ropewalk.actors.cluster.entity;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.entity.EntityHome;
import dev.ropewalk.actors.cluster.store.Store;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * The entities of one kind. All methods work from any thread.
 *
 * @param <M> the type of the messages that they take
 */
public final class Entities<M> {
    private final EntityHome<M> home;
    private final Consumer<String> keyCheck;

    Entities(EntityHome<M> home, Consumer<String> keyCheck) {
        this.home = home;
        this.keyCheck = keyCheck;
    }

    /**
     * {@return the address of an entity, which need not run} It is valid for ever, and equal to
     * each other one of that key. A message that is told to it starts the entity if it does not
     * run.
     *
     * <p>A monitor hears of the end of the actor that the entity has at that moment, also of one
     * for idleness; without one it hears so at once. {@code stop}, {@code terminate} and {@code
     * kill} end that actor, and the next message starts another one. A message that does not fit
     * into a bounded mailbox is a dead letter, because no sender waits for room of an entity; also
     * one that {@code tryTell} has accepted. On the way to an entity of another node a {@code tell}
     * waits for room, and {@code tryTell} is FULL without it, as for any actor of that node.
     *
     * @param key any text but an empty one; of a durable kind the key of its state must fit into
     *     {@link Store#MAX_KEY}
     * @throws IllegalArgumentException if it is none
     */
    public ActorRef<M> ref(String key) {
        Objects.requireNonNull(key, "key");
        if (key.isEmpty()) {
            throw new IllegalArgumentException("key is empty; an entity has one of its own");
        }
        keyCheck.accept(key);
        return home.ref(key);
    }

    /** {@return the name of the kind} */
    public String kind() {
        return home.kind();
    }

    /** {@return how many have an actor now} */
    public int running() {
        return home.size();
    }

    /** For tests. */
    EntityHome<M> home() {
        return home;
    }

    @Override
    public String toString() {
        return "entities " + home.path();
    }
}
