/**
 * Messages in bytes (rule A7), by Kryo with registered types only: {@code KryoCodec} writes and
 * reads them, {@code TypeTable} has the types of this node, and {@code PeerTypes} those of another
 * one as this one reads them. Knows nothing of connections. Called by the packages of the cluster.
 */
@NullMarked
package dev.ropewalk.actors.cluster.internal.wire;

import org.jspecify.annotations.NullMarked;
