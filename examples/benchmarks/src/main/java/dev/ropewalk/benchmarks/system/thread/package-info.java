/**
 * Benchmarks: the programs that run on what the JDK has: plain threads, virtual threads, the
 * fork-join pool, and bare continuations, which are a floor. Jox is a library of channels between
 * virtual threads, so its programs are here too.
 *
 * <p>Only the list of systems calls it; it calls scenarios and their measurement.
 */
@NullMarked
package dev.ropewalk.benchmarks.system.thread;

import org.jspecify.annotations.NullMarked;
