package dev.ropewalk.actors.supervision;

import dev.ropewalk.actors.Actor;

import java.util.Objects;

/**
 * An actor as a child of a supervisor; made by {@link Tree#child}. Immutable.
 *
 * @param <M> the type of the actor's messages
 */
public final class ActorSpec<M> extends ChildSpec<ActorSpec<M>> {
    private final Actor<M> actor;

    ActorSpec(String id, Actor<M> actor, Options options) {
        super(id, options);
        this.actor = Objects.requireNonNull(actor, "actor");
    }

    /** {@return how the actor is made} */
    public Actor<M> actor() {
        return actor;
    }

    @Override
    ActorSpec<M> with(Options changed) {
        return new ActorSpec<>(id(), actor, changed);
    }

    @Override
    public String toString() {
        return id() + describeOptions();
    }
}
