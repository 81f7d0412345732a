package dev.ropewalk.channels;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;

/**
 * A message that did not reach the end of its {@link Route}.
 *
 * @param sent what was given to {@link Route#send}
 * @param message what the hop was, or would have been, given: {@code sent} at the first hop, then
 *     what the hop before returned
 * @param hop the number of the hop where it ended, from 1
 * @param cord that hop's cord
 * @param cause what the hop threw, or a {@link CordClosedException} if its cord had ended
 * @param <A> the type of the messages that the route takes
 */
public record Undelivered<A>(A sent, Object message, int hop, Cord cord, Throwable cause) {}
