/**
 * Looking into actors while they run: dumps and snapshots of a system, one actor's state, messages
 * and numbers, and reports of crashes. For people, tests and tools; everything here works from any
 * thread.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.actors.observe;

import org.jspecify.annotations.NullMarked;
