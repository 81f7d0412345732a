/**
 * Benchmarks: the command line. It runs each program in a JVM of its own, and the single operations
 * by JMH, and prints a line for each.
 *
 * <p>Nothing calls it; it calls all other packages.
 */
@NullMarked
package dev.ropewalk.benchmarks.runner;

import org.jspecify.annotations.NullMarked;
