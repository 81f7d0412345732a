package dev.ropewalk.examples.chat;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.fibers.io.ClientHandler;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.spi.ClosedException;

import io.netty.util.ReferenceCounted;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * The turns of a connection: it gets lines, and tells rooms of them. It writes nothing, but tells
 * the client's member what to write.
 */
final class Session implements ClientHandler<ReferenceCounted> {
    /** How long the member may take to write what it has, once the client has sent its last. */
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private static final Pattern ROOM = Pattern.compile("[a-z0-9_-]{1,32}");
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_-]{1,20}");
    private static final Pattern BLANKS = Pattern.compile(" +");

    private final ActorRef<Lobby.Message> lobby;
    private final Client client;
    private final Protocol protocol;
    private final MessageConnection<ReferenceCounted> connection;

    /** Where the client is; null if it is in none. */
    private @Nullable ActorRef<Room.Message> room;

    private boolean isOver;

    Session(
            ActorRef<Lobby.Message> lobby,
            Client client,
            Protocol protocol,
            MessageConnection<ReferenceCounted> connection) {
        this.lobby = lobby;
        this.client = client;
        this.protocol = protocol;
        this.connection = connection;
    }

    Client client() {
        return client;
    }

    // ---------------------------------------------------------------- the connection

    /** Before the first line. */
    void welcome() {
        client.sendNotice("/join ROOM NAME, /leave, /quit; other lines are said in the room");
    }

    @Override
    public void handle(ReferenceCounted message) {
        try {
            protocol.received(message, this);
        } finally {
            message.release();
        }
        if (isOver) {
            connection.cancel();
        }
    }

    @Override
    public void end(@Nullable Throwable why) {
        if (!isOver) {
            client.end(last(why));
        }
        if (why == null || why instanceof ClosedException || why instanceof ConnectionException) {
            client.member().awaitEnd(END_LIMIT); // it closes the connection
        }
    }

    private Farewell last(@Nullable Throwable why) {
        return why instanceof ClosedException
                        && why.getCause() instanceof CodecException undecodable
                ? protocol.undecodable(undecodable)
                : Farewell.GOODBYE;
    }

    /** Reads nothing more; what the client was told before still goes to it. */
    void end(Farewell last) {
        isOver = true;
        client.end(last);
    }

    // ---------------------------------------------------------------- lines

    /** One that came. */
    void line(String line) {
        if (line.chars().anyMatch(Character::isISOControl)) {
            client.sendNotice("not said: the line has control characters");
        } else if (line.startsWith("/")) {
            command(BLANKS.split(line.strip()));
        } else if (!line.isBlank()) {
            say(line);
        }
    }

    private void command(String[] words) {
        switch (words[0]) {
            case "/join" -> join(words);
            case "/leave" -> {
                if (room == null) {
                    client.sendNotice("you are in no room");
                } else {
                    leave();
                    client.sendNotice("you have left");
                }
            }
            case "/quit" -> end(Farewell.GOODBYE);
            default ->
                    client.sendNotice(
                            words[0] + " is no command; there are /join, /leave and /quit");
        }
    }

    private void say(String text) {
        ActorRef<Room.Message> here = room;
        if (here == null) {
            client.sendNotice("not said: join a room first, with /join ROOM NAME");
        } else {
            here.tell(new Room.Say(client, text)); // waits while the room has too much to do
        }
    }

    private void join(String[] words) {
        String wrong = wrong(words);
        if (wrong != null) {
            client.sendNotice(wrong);
            return;
        }
        leave();
        try {
            switch (lobby.<Lobby.Answer>ask(to -> new Lobby.Find(words[1], to))) {
                case Lobby.Found found -> join(found.room(), words[2]);
                case Lobby.Refused refused -> client.sendNotice(refused.why());
            }
        } catch (AskFailedException | AskTimeoutException failed) {
            client.sendNotice("the rooms do not answer; try again");
        }
    }

    private static @Nullable String wrong(String[] words) {
        if (words.length < 3) {
            return "a name is missing: /join ROOM NAME";
        }
        if (words.length > 3) {
            return "names have no blanks: /join ROOM NAME";
        }
        if (!ROOM.matcher(words[1]).matches()) {
            return words[1] + " is no room: take 1 to 32 of a to z, 0 to 9, - and _";
        }
        if (!NAME.matcher(words[2]).matches()) {
            return words[2] + " is no name: take 1 to 20 letters, digits, - and _";
        }
        return null;
    }

    /** A join that failed may have been done nevertheless, or be done later: so it is undone. */
    private void join(ActorRef<Room.Message> wanted, String name) {
        try {
            switch (wanted.<Room.Answer>ask(to -> new Room.Join(client, name, to))) {
                case Room.Done _ -> room = wanted;
                case Room.Refused refused -> client.sendNotice(refused.why());
            }
        } catch (AskFailedException | AskTimeoutException failed) {
            wanted.tell(new Room.Leave(client, null));
            client.sendNotice("room " + wanted.name() + " failed; try again");
        }
    }

    /** When it returns, nothing of the room comes any more, unless the room failed meanwhile. */
    private void leave() {
        ActorRef<Room.Message> left = room;
        if (left == null) {
            return;
        }
        room = null;
        try {
            left.<Room.Answer>ask(to -> new Room.Leave(client, to));
        } catch (AskFailedException | AskTimeoutException failed) {
            left.tell(new Room.Leave(client, null));
        }
    }
}
