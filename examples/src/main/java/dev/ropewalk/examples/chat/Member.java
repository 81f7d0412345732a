package dev.ropewalk.examples.chat;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.ConnectionTimeoutException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.supervision.RestartRule;

import io.netty.util.ReferenceCounted;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Writes to a client what it is told, in order; it alone writes to the connection.
 *
 * <p>Its mailbox is what a slow reader may be behind: a room that finds it full dismisses the
 * member. A write waits while 64 KiB are unsent, so the mailbox of one that does not read fills up;
 * and if nothing goes for a few seconds, the connection is broken off, however quiet the room is.
 */
final class Member implements Behavior<Delivery> {
    private final MessageConnection<ReferenceCounted> connection;
    private final Format format;
    private final AtomicReference<Farewell> farewell;

    private Member(
            MessageConnection<ReferenceCounted> connection,
            Format format,
            AtomicReference<Farewell> farewell) {
        this.connection = connection;
        this.format = format;
        this.farewell = farewell;
    }

    /** For the cord of the connection, which it closes at its end, behind the last words. */
    static Actor<Delivery> actor(
            MessageConnection<ReferenceCounted> connection,
            Format format,
            AtomicReference<Farewell> farewell,
            int maxBehind) {
        return Actor.handler(
                        (ActorContext<Delivery> self) -> {
                            Member made = new Member(connection, format, farewell);
                            self.atEnd(_ -> made.end());
                            return made;
                        })
                .restart(RestartRule.TEMPORARY)
                .mailbox(MailboxOptions.bounded(maxBehind));
    }

    @Override
    public Behavior<Delivery> onMessage(Delivery delivery) {
        ReferenceCounted bytes = delivery.take();
        if (bytes == null) {
            throw new IllegalStateException("a delivery that has no bytes any more");
        }
        try {
            connection.write(bytes);
            return Behavior.same();
        } catch (ConnectionTimeoutException deaf) {
            connection.connection().reset();
            return Behavior.stopped();
        } catch (ConnectionException gone) {
            return Behavior.stopped();
        }
    }

    /** One that does not take even the last words is broken off. */
    private void end() {
        try {
            connection.write(format.farewell(farewell.get()));
        } catch (ConnectionTimeoutException deaf) {
            connection.connection().reset();
        } catch (ConnectionException gone) {
            // It hears nothing any more.
        } finally {
            connection.close();
        }
    }
}
