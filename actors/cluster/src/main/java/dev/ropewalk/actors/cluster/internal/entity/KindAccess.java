package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** Opens kinds on a node: only the package of a kind sees its parts, and the node is in another. */
public abstract class KindAccess {
    private static volatile @Nullable KindAccess kinds;

    /** By the class of kinds, before there is any. */
    public static void set(KindAccess access) {
        kinds = access;
    }

    /** Of a program that has a kind. */
    public static KindAccess get() {
        return Objects.requireNonNull(kinds, "kinds");
    }

    /** Opens a kind on a node. */
    public abstract <M> Entities<M> open(NodeEntities node, EntityKind<M, ?> kind);
}
