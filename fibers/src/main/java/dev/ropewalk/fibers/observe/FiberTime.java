package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.Cord;

import java.time.Duration;

/**
 * How often and how long a fiber ran; counted if the JVM was started with {@code
 * -Dropewalk.fiberTimes=true}.
 *
 * <p>Times are wall time on the cord's thread from one switch to the next, not CPU time: what the
 * machine takes the thread away for, and what blocks it, counts too. On a virtual clock no time
 * passes while a fiber runs, so all are zero.
 *
 * @param id the fiber's number
 * @param name its name
 * @param switches how often it was given the cord
 * @param ran how long it ran since it was made, by the cord's clock
 * @param share how much of the cord's time it took since the last call of {@link Cord#top} for this
 *     cord by anybody, or since the first switch if there was none: from 0 to 1. What is missing
 *     from the sum of all is idle time, the loop's own, and that of fibers that have ended. In a
 *     dump it is the share so far; a dump begins no new period
 */
public record FiberTime(long id, String name, long switches, Duration ran, double share) {}
