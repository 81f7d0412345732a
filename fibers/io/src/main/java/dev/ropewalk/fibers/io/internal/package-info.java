/**
 * The event loop that a cord has, with the channels that fit it ({@code IoLoop}): a reactor's, or
 * sockets in memory for cords on a virtual clock, an event loop whose tasks are messages of its
 * cord, and channels whose bytes are on their way for a while that the seed decides (rules F14,
 * I1). And what stands between any socket and a codec, and knows neither (rule I2): {@code
 * BytesHandler}; {@code Stash} holds the bytes that nobody has read, {@code IdleLimit} tells of
 * silence on one connection, and {@code SilenceLimit} of silence on one of many; {@code Input} is
 * where a connection puts what comes.
 *
 * <p>Called by {@link dev.ropewalk.fibers.io} and {@link dev.ropewalk.fibers.io.testing}.
 */
@NullMarked
package dev.ropewalk.fibers.io.internal;

import org.jspecify.annotations.NullMarked;
