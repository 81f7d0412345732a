package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.StackKind;

import java.time.Duration;

/**
 * The counters of a cord so far, and the lengths of its queues now; made by {@link Cord#stats}.
 *
 * <p>All of it is counted where it costs nothing: with a poll, of which there is one in 128
 * switches, or with a start, an end or a sleep of the thread. So there are no counters of single
 * wake-ups or waits.
 *
 * @param stacks the kind of stack that its fibers run on
 * @param switches how often a fiber was given the cord; a fiber that goes on at once, because its
 *     value was there or no other is runnable, counts too; on virtual threads one in 128 of those
 *     counts twice
 * @param polls how often the cord has polled its inbox and timers
 * @param messages messages that came through the inbox
 * @param started fibers that have begun to run
 * @param ended fibers that had begun to run and have ended
 * @param sleeps how often the thread had nothing to do and slept
 * @param slept how long it slept, by the cord's clock
 * @param runnable fibers in the run queue now
 * @param maxRunnable the largest number in the run queue at a poll, since the last reading on the
 *     cord itself
 * @param timers timers that are armed now
 * @param inbox messages that wait to be taken now; a hint, counted one by one
 * @param idleStacks threads that are kept for the next fibers; 0 on {@code LIGHT} cords
 * @param tasks of a scheduler's cord, tasks that wait to be started now; a hint
 */
public record CordStats(
        StackKind stacks,
        long switches,
        long polls,
        long messages,
        long started,
        long ended,
        long sleeps,
        Duration slept,
        int runnable,
        int maxRunnable,
        int timers,
        int inbox,
        int idleStacks,
        int tasks) {

    /** {@return fibers that have begun to run and have not ended} */
    public long alive() {
        return started - ended;
    }
}
