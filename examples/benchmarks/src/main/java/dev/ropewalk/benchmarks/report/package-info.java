/**
 * Benchmarks: the page, its charts, the tables of other pages, and the comparison of two runs.
 *
 * <p>The command line calls it; it calls results and scenarios, and no system.
 */
@NullMarked
package dev.ropewalk.benchmarks.report;

import org.jspecify.annotations.NullMarked;
