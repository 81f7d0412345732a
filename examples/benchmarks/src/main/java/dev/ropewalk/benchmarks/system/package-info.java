/**
 * Benchmarks: the systems, each in its configurations. The programs of one kind of system are a
 * package below this one, which no other package below knows.
 *
 * <p>The runner calls it; it calls those packages and scenarios.
 */
@NullMarked
package dev.ropewalk.benchmarks.system;

import org.jspecify.annotations.NullMarked;
