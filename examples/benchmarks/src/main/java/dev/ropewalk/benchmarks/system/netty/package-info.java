/**
 * Benchmarks: the programs that run on Netty alone, the floor of what has sockets on Netty.
 *
 * <p>Only the list of systems calls it; it calls scenarios and their measurement.
 */
@NullMarked
package dev.ropewalk.benchmarks.system.netty;

import org.jspecify.annotations.NullMarked;
