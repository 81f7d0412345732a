/**
 * Benchmarks: clusters of three processes, of which one is killed or leaves while another one asks
 * its entities. The parent starts the processes, and reads the lines that they print.
 *
 * <p>The runner calls {@link dev.ropewalk.benchmarks.failover.Failover} and {@link
 * dev.ropewalk.benchmarks.failover.Leaving}; nothing else is for other packages. It calls measure,
 * result and scenario.
 */
@NullMarked
package dev.ropewalk.benchmarks.failover;

import org.jspecify.annotations.NullMarked;
