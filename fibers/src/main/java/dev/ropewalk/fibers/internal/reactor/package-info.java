/**
 * The place where a cord sleeps once I/O was asked for: an event loop of Netty that the cord
 * drives. No other package of fibers names io.netty. Put another reactor here.
 *
 * <p>Called by {@link dev.ropewalk.fibers.internal.platform.RealPlatform}.
 */
@NullMarked
package dev.ropewalk.fibers.internal.reactor;

import org.jspecify.annotations.NullMarked;
