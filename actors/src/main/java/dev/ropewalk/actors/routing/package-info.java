/**
 * Actors as many: groups that actors join and leave, routers that choose among members, pools of
 * workers, and an event bus (rule A6).
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.actors.routing;

import org.jspecify.annotations.NullMarked;
