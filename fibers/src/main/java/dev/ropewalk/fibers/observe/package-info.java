/**
 * Views of a running program: dumps, counters, times, traces, the watchdog's reports, and the slice
 * of the running fiber (rules F9, F13).
 *
 * <p>Values are snapshots and may be read by any thread; they are made in internal.report and
 * internal.watch.
 */
@NullMarked
package dev.ropewalk.fibers.observe;

import org.jspecify.annotations.NullMarked;
