/**
 * Ways out of the cord for code that would block its thread: calls on virtual threads, stages of
 * the JDK, processes, signals (rule F12).
 *
 * <p>The fiber waits and the cord goes on. Called by fibers; the result of a call is for the fiber
 * that made it.
 */
@NullMarked
package dev.ropewalk.fibers.blocking;

import org.jspecify.annotations.NullMarked;
