/**
 * Looking into actors while they run: dumps and snapshots of a system, one actor's state, messages
 * and numbers, and reports of crashes. For people, tests and tools; everything here works from any
 * thread.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 *
 * <p>Incubating: may change in any version, because no program among the examples has looked into
 * its actors yet.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.observe;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
