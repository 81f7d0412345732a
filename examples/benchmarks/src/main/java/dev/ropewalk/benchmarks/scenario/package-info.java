/**
 * Benchmarks: what is measured, whichever system runs it. A scenario has a name, a right answer and
 * sizes; a row is a scenario, or one of its forms of another size; a peer is a system, and its
 * programs are its forms of the scenarios. What all forms of a scenario share is here too.
 *
 * <p>Everything else in this module may call it; it calls nothing of this module.
 */
@NullMarked
package dev.ropewalk.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
