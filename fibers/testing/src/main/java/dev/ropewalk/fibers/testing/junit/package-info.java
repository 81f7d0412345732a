/**
 * Tests of JUnit 5 that run as fibers on virtual cords. An artifact of its own, so that code that
 * is no test depends on no JUnit.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.fibers.testing.junit;

import org.jspecify.annotations.NullMarked;
