/**
 * Tests of code that uses sockets, on a virtual clock: the network between the cords of a test, and
 * its faults (rule F14).
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.fibers.io.testing;

import org.jspecify.annotations.NullMarked;
