/**
 * The parts of the machine that a cord needs: clock, random numbers, a place to park (rule F14),
 * how long to spin before that, the CPUs, the JVM flags, and memory set aside. And small helps that
 * know neither fiber nor cord.
 *
 * <p>For all packages of fibers. Only {@link dev.ropewalk.fibers.internal.platform.RealPlatform}
 * asks the machine for time and randomness.
 */
@NullMarked
package dev.ropewalk.fibers.internal.platform;

import org.jspecify.annotations.NullMarked;
