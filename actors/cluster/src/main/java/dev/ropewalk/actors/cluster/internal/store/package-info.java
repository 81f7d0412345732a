/**
 * How the library calls a program's store: with a limit. Called by {@code internal.lease}, {@code
 * internal.shard} and {@code internal.entity}; knows none of them. And the watches of engines,
 * which the modules of engines share.
 */
@NullMarked
package dev.ropewalk.actors.cluster.internal.store;

import org.jspecify.annotations.NullMarked;
