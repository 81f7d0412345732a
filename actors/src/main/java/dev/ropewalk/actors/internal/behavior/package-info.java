/**
 * The kinds of behavior beside a function of the user's (a sign or a state), and the steps that
 * follow when a message returns one. Knows no actors and no mailboxes: they are a {@link
 * dev.ropewalk.actors.internal.behavior.StateChange.Host} to it. Called by {@code
 * dev.ropewalk.actors} and its rooms, on the actor's fiber. Not exported.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.actors.internal.behavior;

import org.jspecify.annotations.NullMarked;
