package dev.ropewalk.fibers;

import java.time.Duration;

/**
 * How often and how long a fiber ran; counted if the JVM was started with {@code
 * -Dropewalk.fiberTimes=true}.
 *
 * @param id the fiber's number
 * @param name its name
 * @param switches how often it was given the cord
 * @param ran how long it ran, by the cord's clock, up to its last switch; on a virtual clock zero
 */
public record FiberTime(long id, String name, long switches, Duration ran) {}
