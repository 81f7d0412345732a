/**
 * Channels and {@link java.util.concurrent.Flow} both ways (rule C5): a publisher of a receive
 * port, a receive port of a publisher, a subscriber that sends, a processor.
 *
 * <p>Called by programs, and by the publishers and subscribers of others, from any thread. Stands
 * on channels and fibers; nothing of them knows it.
 */
@NullMarked
package dev.ropewalk.channels.flow;

import org.jspecify.annotations.NullMarked;
