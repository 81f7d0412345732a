/**
 * Numbers about a running program for monitoring systems: sources tell them, and a reading adds
 * them up by class or group.
 *
 * <p>It reads other packages of fibers; none of them reads it. Other modules have sources of their
 * own for their parts.
 *
 * <p>Incubating: may change in any version, because it is new.
 */
@Incubating
@NullMarked
package dev.ropewalk.fibers.metrics;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
