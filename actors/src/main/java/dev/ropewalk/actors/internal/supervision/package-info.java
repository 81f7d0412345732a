/**
 * The parts of a supervisor: the cell survives a restart, a life does not, and a child is the
 * supervisor's record of an actor or supervisor below it. It knows actors as {@link
 * dev.ropewalk.actors.internal.supervision.SupervisedActor} and its system as {@link
 * dev.ropewalk.actors.internal.supervision.SupervisorHost} only; {@code internal} calls it, and
 * {@code observe} looks at it. Not exported.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.actors.internal.supervision;

import org.jspecify.annotations.NullMarked;
