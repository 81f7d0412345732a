/**
 * Benchmarks: single operations, timed by JMH beside their floor or a peer. A class is an
 * operation, and a method of it is a system.
 *
 * <p>Only JMH calls these classes, which the runner finds by their names.
 */
@NullMarked
package dev.ropewalk.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
