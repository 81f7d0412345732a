/**
 * Benchmarks: the programs of Ropewalk: actors in both styles, fibers, channels, locks and tasks.
 *
 * <p>Only the list of systems calls it; it calls scenarios and their measurement.
 */
@NullMarked
package dev.ropewalk.benchmarks.system.ropewalk;

import org.jspecify.annotations.NullMarked;
