/**
 * The part of sending before a message leaves, if the actor's mailbox is no plain queue without a
 * bound: the sender looks up the message's place, and takes room; and the limit of an ask, which
 * its sender serves. For any thread; called by {@code dev.ropewalk.actors.internal} alone. Not
 * exported.
 *
 * <p>References are non-null unless marked {@code @Nullable}; messages are never null.
 */
@NullMarked
package dev.ropewalk.actors.internal.sending;

import org.jspecify.annotations.NullMarked;
