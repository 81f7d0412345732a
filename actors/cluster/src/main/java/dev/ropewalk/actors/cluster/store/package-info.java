/**
 * The engine that decides ownership and keeps state (rule A7): a {@link
 * dev.ropewalk.actors.cluster.store.Store} is all that a cluster asks of it, so that an engine is
 * exchanged without a word to the actors. Called by {@code internal.store} alone, for leases and
 * entities; implemented by the artifacts of the engines, and in memory by {@code testing}. Knows
 * nothing of nodes.
 *
 * <p>Incubating: may change in any version, because entities of several nodes are to come.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.cluster.store;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
