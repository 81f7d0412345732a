/**
 * Groups, and how routers choose among their members: on the sender's thread, from an immutable
 * roster that the group's cord replaces. Called by {@code dev.ropewalk.actors.routing}, whose API
 * it is behind, and by the cells of actors, which tell it of their end. Not exported.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.actors.internal.routing;

import org.jspecify.annotations.NullMarked;
