/**
 * Support for testing programs that use fibers: cords whose time and order can be replayed.
 *
 * <p>{@link dev.ropewalk.fibers.testing.TestCord} needs no test framework. References are non-null
 * unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.fibers.testing;

import org.jspecify.annotations.NullMarked;
