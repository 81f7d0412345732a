package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** Opens kinds on a node: only the package of a kind sees its parts, and the node is in another. */
public interface KindAccess {
    /** Set by the class of kinds, before there is any. */
    AtomicReference<KindAccess> KINDS = new AtomicReference<>();

    /** Of a program that has a kind. */
    static KindAccess get() {
        return Objects.requireNonNull(KINDS.get(), "kinds");
    }

    /** Opens a kind on a node. */
    <M> Entities<M> open(NodeEntities node, EntityKind<M, ?> kind);

    /** The type of its messages. */
    Class<?> messages(EntityKind<?, ?> kind);
}
