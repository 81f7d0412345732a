package dev.ropewalk.actors.server;

import dev.ropewalk.actors.Recipient;

/**
 * A message that wants a reply; a record of the protocol with a component {@code replyTo}
 * implements it by that.
 *
 * @param <R> the type of the reply
 */
public interface Request<R> {
    /** {@return where the reply goes} */
    Recipient<R> replyTo();
}
