/**
 * Entities (rule A7): actors that are found by a key, started by their first message, and stopped
 * when nobody needs them; a durable one keeps its state in a {@link
 * dev.ropewalk.actors.cluster.store.Store} and goes on with it after a restart of the process.
 * Begin with {@link dev.ropewalk.actors.cluster.entity.EntityHost} in one process, and with {@link
 * dev.ropewalk.actors.cluster.Node#entities} on several. Called by programs; knows the store and
 * the types of the wire, and no nodes.
 *
 * <p>Incubating: may change in any version, because nobody has run it for long.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.cluster.entity;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
