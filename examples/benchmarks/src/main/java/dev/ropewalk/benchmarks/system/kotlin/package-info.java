/**
 * Benchmarks: the programs of Kotlin's coroutines, which are written in Kotlin.
 *
 * <p>Only the list of systems and the benchmark of a mutex call it; it calls scenarios and their
 * measurement.
 */
@NullMarked
package dev.ropewalk.benchmarks.system.kotlin;

import org.jspecify.annotations.NullMarked;
