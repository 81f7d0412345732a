/** Benchmarks: one operation timed by JMH beside its floor or a peer, in one run. */
@NullMarked
package dev.ropewalk.benchmarks;

import org.jspecify.annotations.NullMarked;
