/**
 * Benchmarks: a cord with many actors and an observer that looks at them, in one process. The
 * runner calls {@link dev.ropewalk.benchmarks.observed.Observed}; nothing else is for other
 * packages. It calls measure and result.
 */
@NullMarked
package dev.ropewalk.benchmarks.observed;

import org.jspecify.annotations.NullMarked;
