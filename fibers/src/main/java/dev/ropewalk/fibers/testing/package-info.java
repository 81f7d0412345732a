/**
 * Support for testing programs that use fibers: cords whose time and order can be replayed.
 *
 * <p>{@link dev.ropewalk.fibers.testing.TestCord} and {@link dev.ropewalk.fibers.testing.TestCords}
 * need no test framework. References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.fibers.testing;

import org.jspecify.annotations.NullMarked;
