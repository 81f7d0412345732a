/**
 * The views of fibers for people: dumps, graphs of waits, the search for cycles, times and traces
 * (rule F9).
 *
 * <p>It reads the kernel on the cord, as no fiber, and changes nothing there. To say more in a
 * dump, begin here.
 */
@NullMarked
package dev.ropewalk.fibers.internal.report;

import org.jspecify.annotations.NullMarked;
