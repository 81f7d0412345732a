/**
 * What lies in an actor's mailbox, and in which order it comes out. Knows no actors; called by
 * {@code dev.ropewalk.actors.internal} alone, on the actor's cord. Not exported.
 *
 * <p>References are non-null unless marked {@code @Nullable}; messages are never null.
 */
@NullMarked
package dev.ropewalk.actors.internal.mailbox;

import org.jspecify.annotations.NullMarked;
