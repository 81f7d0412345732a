package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.Cord;

import java.time.Duration;

/**
 * How often and how long a fiber ran; counted if the JVM was started with {@code
 * -Dropewalk.fiberTimes=true}.
 *
 * <p>Times are wall time on the cord's thread from one switch to the next, not CPU time: the time
 * in which the machine takes the CPU away, or the thread blocks, counts too. On a virtual clock no
 * time passes while a fiber runs, so all are zero.
 *
 * @param id the fiber's number
 * @param name its name
 * @param switches how often it was given the cord
 * @param ran how long it ran since it was made, by the cord's clock
 * @param share how much of the cord's time it took since the last call of {@link Cord#top} for this
 *     cord by any caller, or otherwise since the first switch: from 0 to 1. The shares do not add
 *     up to 1; the rest is idle time, time of the loop itself, and time of fibers that have ended.
 *     In a dump it is the share so far; a dump begins no new period
 */
public record FiberTime(long id, String name, long switches, Duration ran, double share) {}
