/**
 * Helpers of all tests of fibers: ways to run a body, a handler of reports, a lock, another JVM.
 */
@NullMarked
package dev.ropewalk.fibers.testkit;

import org.jspecify.annotations.NullMarked;
