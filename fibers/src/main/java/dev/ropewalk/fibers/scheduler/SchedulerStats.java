package dev.ropewalk.fibers.scheduler;

/**
 * The counters of a {@link Scheduler} so far.
 *
 * @param placed tasks that were spun
 * @param ended tasks that have ended, started or not
 * @param stolen tasks that a cord took from another one
 * @param cords cords that take tasks now, bound threads included
 */
public record SchedulerStats(long placed, long ended, long stolen, int cords) {
    /** {@return tasks that have not ended: they wait for their start, or run, or wait} */
    public long alive() {
        return placed - ended;
    }
}
