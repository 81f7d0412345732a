/**
 * Sockets in memory for cords on a virtual clock: an event loop whose tasks are messages of its
 * cord, and channels whose bytes are on their way for a while that the seed decides (rules F14,
 * I1). And the handlers between any socket and a codec, which know neither (rule I2); {@code Stash}
 * holds the unread bytes.
 *
 * <p>Called by {@link dev.ropewalk.fibers.io} and {@link dev.ropewalk.fibers.io.testing}.
 */
@NullMarked
package dev.ropewalk.fibers.io.internal;

import org.jspecify.annotations.NullMarked;
