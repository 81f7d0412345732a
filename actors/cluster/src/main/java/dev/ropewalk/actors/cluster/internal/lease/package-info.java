/**
 * Which nodes of a cluster with a store are there, and which may own something: {@code Membership}
 * keeps a node's register and observes those of others, {@code Lease} tells until when the node may
 * work for what it owns. Knows the store, and no actors and sessions. Called by the node.
 */
@NullMarked
package dev.ropewalk.actors.cluster.internal.lease;

import org.jspecify.annotations.NullMarked;
