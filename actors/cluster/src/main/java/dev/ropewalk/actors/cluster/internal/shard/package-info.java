/**
 * Which node of a cluster owns which of 256 shards of entities: {@code ShardTable} is the value in
 * the store with the decisions about it, {@code Shards} carries them out for one node. Knows the
 * store and leases, and no entities. Called by the node and by entities.
 */
@NullMarked
package dev.ropewalk.actors.cluster.internal.shard;

import org.jspecify.annotations.NullMarked;
