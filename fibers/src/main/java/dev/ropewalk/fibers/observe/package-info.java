/**
 * Views of a running program: dumps, counters, times, traces, the watchdog's reports, and the slice
 * of the running fiber (rules F9, F13).
 *
 * <p>Values are snapshots and may be read by any thread; they are made in internal.report and
 * internal.watch.
 *
 * <p>Incubating: may change in any version, because no program among the examples has looked into
 * itself yet.
 */
@Incubating
@NullMarked
package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
