/**
 * The interface of a cord for the I/O library: its reactor, or the virtual time in place of one
 * (rule I1).
 *
 * <p>Called by the module of fibers/io alone, to which this package and {@link
 * dev.ropewalk.fibers.internal.reactor} are exported.
 */
@NullMarked
package dev.ropewalk.fibers.internal.io;

import org.jspecify.annotations.NullMarked;
