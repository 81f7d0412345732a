/** Durable entities, and the plain writes of the stores below them. */
@NullMarked
package dev.ropewalk.benchmarks.system.durable;

import org.jspecify.annotations.NullMarked;
