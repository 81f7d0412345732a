/**
 * One element to many: a broadcast gives each to all of its subscribers, a topic to those of a key.
 *
 * <p>Called by programs. Stands on the buffers of channels, and on the spi of fibers.
 */
@NullMarked
package dev.ropewalk.channels.broadcast;

import org.jspecify.annotations.NullMarked;
