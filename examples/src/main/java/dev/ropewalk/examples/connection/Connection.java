package dev.ropewalk.examples.connection;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;

/**
 * A client of a server that answers each line with a line, as a state machine that connects when it
 * is asked something, tries again with a growing delay, and hangs up when nothing is asked for a
 * while:
 *
 * <pre>
 *   disconnected -> connecting     a question
 *   connecting   -> connected      the connection is there
 *   connecting   -> waiting        it failed
 *   waiting      -> connecting     the delay has passed
 *   connected    -> disconnected   nothing was asked for a while, or the server hung up
 * </pre>
 *
 * Questions that come while there is no connection are postponed: the next state that can take them
 * does. If as many wait as the client keeps, one more is refused with what the last attempt failed
 * with, and the mailbox has the same bound, so that no state forgets it. A question that was sent
 * and is not answered when the connection ends fails, because nobody knows whether the server has
 * handled it.
 */
public final class Connection {
    /** What it is told. */
    public sealed interface Message {}

    /**
     * A question.
     *
     * @param line what is sent; two lines would get two answers
     * @param replyTo gets the line that comes back
     */
    public record Ask(String line, Recipient<String> replyTo) implements Message {
        /** Checks the line. */
        public Ask {
            if (line.contains("\n")) {
                throw new IllegalArgumentException("more than one line: " + line);
            }
        }
    }

    private record Connected(TcpConnection connection) implements Message {}

    private record Failed(Throwable why) implements Message {}

    private record Answer(TcpConnection from, String line) implements Message {}

    private record HungUp(TcpConnection by) implements Message {}

    private enum Due implements Message {
        RETRY,
        IDLE
    }

    private static final Duration FIRST_DELAY = Duration.ofMillis(100);
    private static final Duration MAX_DELAY = Duration.ofSeconds(10);
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final int MAX_DOUBLINGS = 16;

    /** So many questions wait for a connection at most. */
    static final int MAX_WAITING = 100;

    private final ActorContext<Message> self;
    private final String host;
    private final int port;

    /** Null while there is none. */
    private @Nullable TcpConnection open;

    /** Of the last attempt; null if that succeeded. */
    private @Nullable Throwable lastFailure;

    private Connection(ActorContext<Message> self, String host, int port) {
        this.self = self;
        this.host = host;
        this.port = port;
        self.atEnd(
                _ -> {
                    if (open != null) {
                        open.close();
                    }
                });
    }

    /**
     * {@return the client, as an actor}
     *
     * @param host where the server is
     * @param port its port
     */
    public static Actor<Message> actor(String host, int port) {
        return Actor.handler(
                        (ActorContext<Message> self) ->
                                new Connection(self, host, port).disconnected())
                .mailbox(MailboxOptions.unbounded().withPostponed(MAX_WAITING, Overflow.DROP_NEW));
    }

    private Behavior<Message> disconnected() {
        return Behavior.state(
                "disconnected",
                message -> {
                    if (message instanceof Ask) {
                        self.postpone();
                        return connecting(0);
                    }
                    return ignored(message);
                });
    }

    private Behavior<Message> connecting(int failures) {
        return Behavior.state(
                "connecting",
                _ -> {
                    Fiber<TcpConnection> connect =
                            Fiber.spin("connect", () -> TcpConnection.connect(host, port));
                    self.pipe(connect, Connected::new, Failed::new);
                    return Behavior.same();
                },
                message ->
                        switch (message) {
                            case Connected there ->
                                    connected(there.connection(), new ArrayDeque<>());
                            case Failed failed -> {
                                lastFailure = failed.why();
                                yield waiting(failures + 1);
                            }
                            case Ask ask -> postponed(ask);
                            default -> ignored(message);
                        });
    }

    private Behavior<Message> waiting(int failures) {
        return Behavior.state(
                "waiting",
                _ -> {
                    self.stateTimeout(delay(failures), Due.RETRY);
                    return Behavior.same();
                },
                message ->
                        switch (message) {
                            case Due due when due == Due.RETRY -> connecting(failures);
                            case Ask ask -> postponed(ask);
                            default -> ignored(message);
                        });
    }

    /** Up to half of it by chance, so that many clients do not come back at once. */
    private static Duration delay(int failures) {
        Duration doubled = FIRST_DELAY.multipliedBy(1L << Math.min(failures - 1, MAX_DOUBLINGS));
        long most = Math.min(doubled.toMillis(), MAX_DELAY.toMillis());
        return Duration.ofMillis(most - Cord.current().nextInt((int) most / 2 + 1));
    }

    /** The state changes in place, as the connection does: only a crash would see that. */
    private Behavior<Message> connected(
            TcpConnection connection, ArrayDeque<Recipient<String>> waiting) {
        return Behavior.state(
                "connected",
                _ -> {
                    open = connection;
                    lastFailure = null;
                    Fiber.spin("read", () -> read(connection));
                    self.idleTimeout(IDLE, Due.IDLE);
                    return Behavior.same();
                },
                message -> {
                    switch (message) {
                        case Ask ask -> ask(connection, ask, waiting);
                        case Answer answer when answer.from() == connection -> {
                            Recipient<String> asker = waiting.poll();
                            if (asker == null) { // whose answers the next ones are, nobody knows
                                return over(connection, waiting);
                            }
                            asker.tell(answer.line());
                        }
                        case HungUp hungUp when hungUp.by() == connection -> {
                            return over(connection, waiting);
                        }
                        case Due due when due == Due.IDLE && waiting.isEmpty() -> {
                            return over(connection, waiting);
                        }
                        default -> ignored(message);
                    }
                    self.idleTimeout(IDLE, Due.IDLE);
                    return Behavior.same();
                });
    }

    private static void ask(
            TcpConnection connection, Ask ask, ArrayDeque<Recipient<String>> waiting) {
        try {
            connection.write(ask.line() + "\n");
            waiting.add(ask.replyTo());
        } catch (ConnectionException gone) {
            ask.replyTo().fail(gone); // the reader tells of the end
        }
    }

    private Behavior<Message> over(
            TcpConnection connection, ArrayDeque<Recipient<String>> waiting) {
        open = null;
        connection.close();
        for (Recipient<String> each : waiting) {
            each.fail(new IllegalStateException(connection + " ended before the answer"));
        }
        return disconnected();
    }

    /** In a fiber of its own, because an actor that reads handles nothing else meanwhile. */
    private void read(TcpConnection connection) {
        try {
            for (String line; (line = connection.readLine()) != null; ) {
                self.self().tell(new Answer(connection, line));
            }
        } catch (ConnectionException gone) {
            // It has ended, in whatever way.
        }
        self.self().tell(new HungUp(connection));
    }

    /** It is of a connection that is over, or one that came when it was not wanted any more. */
    private static Behavior<Message> ignored(Message message) {
        if (message instanceof Connected late) {
            late.connection().close(); // asked for before a crash
        }
        return Behavior.same();
    }

    private Behavior<Message> postponed(Ask ask) {
        int waiting = self.postponed();
        if (waiting < MAX_WAITING) {
            self.postpone();
        } else {
            ask.replyTo()
                    .fail(
                            new IllegalStateException(
                                    waiting
                                            + " questions wait for a connection to "
                                            + host
                                            + ":"
                                            + port,
                                    lastFailure));
        }
        return Behavior.same();
    }
}
