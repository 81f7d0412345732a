package dev.ropewalk.actors.observer;

import dev.ropewalk.fibers.scheduler.SchedulerStats;

/**
 * A scheduler.
 *
 * @param id of it alone
 * @param placed tasks a second
 * @param stolen tasks a second
 */
record SchedulerSight(long id, String name, SchedulerStats stats, double placed, double stolen) {}
