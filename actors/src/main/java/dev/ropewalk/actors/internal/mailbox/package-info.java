/**
 * How messages come into an actor's mailbox, and in which order they come out. Knows no actors;
 * called by {@code dev.ropewalk.actors.internal} alone. Senders have to do with the gate, on any
 * thread; the mailbox is confined to the actor's cord. Not exported.
 *
 * <p>References are non-null unless marked {@code @Nullable}; messages are never null.
 */
@NullMarked
package dev.ropewalk.actors.internal.mailbox;

import org.jspecify.annotations.NullMarked;
