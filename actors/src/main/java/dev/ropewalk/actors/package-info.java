/**
 * Actors: fibers with a mailbox, and supervisors that start them again.
 *
 * <p>References are non-null unless marked {@code @Nullable}; messages are never null.
 */
@NullMarked
package dev.ropewalk.actors;

import org.jspecify.annotations.NullMarked;
