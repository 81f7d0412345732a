/**
 * Benchmarks: the programs of Pekko, typed actors all of them.
 *
 * <p>Only the list of systems calls it; it calls scenarios and their measurement.
 */
@NullMarked
package dev.ropewalk.benchmarks.system.pekko;

import org.jspecify.annotations.NullMarked;
