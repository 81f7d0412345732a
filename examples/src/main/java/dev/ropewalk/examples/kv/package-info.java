/**
 * A store of keys and values that speaks the protocol of Redis (RESP2 and RESP3): shards are
 * supervised actors, connections are fibers, a subscription is a broadcast channel, and what was
 * acknowledged survives a kill.
 *
 * <p>{@code Kv} puts it together; {@code Client} is one connection, {@code Shard} the actor with
 * its {@code Keyspace} and its {@code ShardLog}.
 */
@NullMarked
package dev.ropewalk.examples.kv;

import org.jspecify.annotations.NullMarked;
