/**
 * How a scheduler places tasks, and how its cords take and steal them (rule F15).
 *
 * <p>Workers chooses a cord, TaskQueue holds what waits for it, SchedulerSlot decides by one
 * compare-and-set which cord has a task, SchedulerShutdown ends it all. The kernel sees these as
 * TaskSource, TaskSlot and CordGroup.
 */
@NullMarked
package dev.ropewalk.fibers.internal.task;

import org.jspecify.annotations.NullMarked;
