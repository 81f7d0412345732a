/**
 * Tests of JUnit 5 that run as fibers on virtual cords; needs {@code junit-jupiter-api}, which this
 * artifact does not bring along.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.fibers.testing.junit;

import org.jspecify.annotations.NullMarked;
