/**
 * Work for several cords: tasks that any of them may start, loops, and graphs of dependent tasks
 * (rule F15).
 *
 * <p>A {@link dev.ropewalk.fibers.scheduler.Scheduler} owns cords, or lends itself to bound
 * threads; a task is a fiber that has no cord before one of them takes it. The package
 * internal.task tells how tasks are placed and stolen.
 *
 * <p>Programs call it from any thread, except where a comment says that a fiber is needed.
 */
@NullMarked
package dev.ropewalk.fibers.scheduler;

import org.jspecify.annotations.NullMarked;
