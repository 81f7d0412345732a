/**
 * The items in an actor's mailbox, and the order in which they come out. Knows no actors; called by
 * {@code dev.ropewalk.actors.internal} and by what senders have to do with, alone. A mailbox is
 * confined to the actor's cord. Not exported.
 *
 * <p>References are non-null unless marked {@code @Nullable}; messages are never null.
 */
@NullMarked
package dev.ropewalk.actors.internal.mailbox;

import org.jspecify.annotations.NullMarked;
