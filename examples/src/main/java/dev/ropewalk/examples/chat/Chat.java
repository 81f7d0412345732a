package dev.ropewalk.examples.chat;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TcpOptions;

import io.netty.util.ReferenceCounted;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The rooms and their members: a system of actors, to which the fibers of connections talk. */
final class Chat implements AutoCloseable {
    private static final String ROOMS = "rooms";
    private static final String MEMBERS = "members";

    /** A connection on which nothing happens in either direction is broken off. */
    private static final Duration SILENCE = Duration.ofHours(1);

    /** And so is one that takes nothing of what is unsent; less than the stop limit of members. */
    private static final Duration DEAF_LIMIT = Duration.ofSeconds(3);

    private final ChatOptions options;
    private final ActorSystem system;
    private final Supervisor members;
    private final ActorRef<Lobby.Message> lobby;

    /** Written by the one that closes it, before members are ended. */
    private volatile boolean isEnding;

    /**
     * Starts it; in a fiber on its cord, from a plain thread on cords of its own.
     *
     * @param cords how many
     */
    Chat(ChatOptions options, int cords) {
        this.options = options;
        Tree tree =
                Tree.oneForOne(
                        "chat",
                        Tree.of(
                                ROOMS,
                                Supervision.dynamic()
                                        .spread()
                                        .intensity(100, Duration.ofSeconds(10))),
                        Tree.dynamic(MEMBERS));
        this.system =
                ActorSystem.start(
                        tree,
                        ActorSystemOptions.defaults()
                                .withCords(cords)
                                .withDeadLetters(Chat::returnToSender));
        this.members = system.supervisor(MEMBERS);
        this.lobby = system.start("lobby", Lobby.actor(system.supervisor(ROOMS), options));
    }

    /** Releases what was not written, and tells senders of what was not said. */
    private static void returnToSender(DeadLetter letter) {
        switch (letter.message()) {
            case Delivery unwritten -> unwritten.release();
            case Room.Say unsaid ->
                    unsaid.client().offerNotice("not said: the room failed; try again");
            default -> {} // the ask itself tells the asker
        }
    }

    ActorSystem system() {
        return system;
    }

    List<Cord> cords() {
        return system.cords();
    }

    // ---------------------------------------------------------------- connections

    /** How the listeners are made. */
    static TcpOptions limits(TcpOptions tcp) {
        return tcp.withIdleLimit(SILENCE).withWriteLimit(DEAF_LIMIT);
    }

    /** Serves clients of one kind until the listener is closed; on one of the cords. */
    void serve(TcpListener listener, Protocol protocol) {
        listener.serveMessages(
                "client",
                connection ->
                        protocol.open(connection) && !isEnding
                                ? connection.messages(protocol.codec())
                                : null,
                messages -> session(messages, protocol));
    }

    private Session session(MessageConnection<ReferenceCounted> messages, Protocol protocol) {
        AtomicReference<Farewell> farewell = new AtomicReference<>(Farewell.SERVER_ENDS);
        ActorRef<Delivery> member =
                members.spin(
                        messages.connection().cord(),
                        Member.actor(
                                messages,
                                protocol.format(),
                                farewell,
                                options.history() + options.maxBehind()));
        Client client = new Client(member, protocol.format(), farewell);
        Session made = new Session(lobby, client, protocol, messages);
        boolean isWelcome = false;
        try {
            made.welcome();
            isWelcome = true;
            return made;
        } finally {
            if (!isWelcome) {
                client.end(Farewell.GOODBYE); // nothing else ends the member
            }
        }
    }

    // ---------------------------------------------------------------- the end

    /** Ends the members, each behind its last words; waits for that. */
    void dismissAll() {
        isEnding = true;
        system.root().stop(MEMBERS);
    }

    @Override
    public void close() {
        system.close();
    }
}
