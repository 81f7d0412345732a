/**
 * Benchmarks: how one program is measured. A program marks by {@code Laps}, {@code Timing}, {@code
 * Turns} and {@code Heap} which part of it counts, and {@code Child} takes what they saw.
 *
 * <p>The programs and the runner call it; it calls scenarios and results.
 */
@NullMarked
package dev.ropewalk.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
