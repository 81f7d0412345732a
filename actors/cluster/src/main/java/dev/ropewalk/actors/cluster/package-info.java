/**
 * Actors of two and more processes (rule A7): a {@link dev.ropewalk.actors.cluster.Node} is the
 * presence of an actor system among others, a {@link dev.ropewalk.actors.cluster.Protocol} the
 * types of the messages that they exchange.
 *
 * <p>Each pair of nodes decides by its own connection whether the other one is there. No engine is
 * needed for that, and no node speaks for others.
 *
 * <p>Incubating: may change in any version, because groups, links and room in the mailboxes of
 * other nodes are to come.
 *
 * <p>Inside, the arrows go down: {@code internal.node} knows who is there, {@code internal.ref}
 * what addresses of other nodes do, {@code internal.session} the frames between two nodes, and
 * {@code internal.wire} the bytes of a message. References are non-null unless marked
 * {@code @Nullable}.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.cluster;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
