/**
 * Actors: fibers with a mailbox. An {@link dev.ropewalk.actors.Actor} says how one is made, an
 * {@link dev.ropewalk.actors.ActorSystem} or a {@linkplain dev.ropewalk.actors.supervision
 * supervisor} starts it, an {@link dev.ropewalk.actors.ActorRef} is its address.
 *
 * <p>References are non-null unless marked {@code @Nullable}; messages are never null.
 */
@NullMarked
package dev.ropewalk.actors;

import org.jspecify.annotations.NullMarked;
