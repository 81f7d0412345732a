/**
 * Benchmarks: the lines of a run, and a file of them.
 *
 * <p>Code that prints, reads or compares figures may call it; it calls nothing of this module.
 */
@NullMarked
package dev.ropewalk.benchmarks.result;

import org.jspecify.annotations.NullMarked;
