package dev.ropewalk.examples.chat;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.testing.TestCord;

import java.time.Duration;
import java.util.function.UnaryOperator;

/** A chat on the network in memory, and users of it. */
final class Lab implements AutoCloseable {
    /** A test. */
    @FunctionalInterface
    interface Body {
        void run(Lab lab) throws Exception;
    }

    static final int TELNET_PORT = 23;
    static final int WEB_SOCKET_PORT = 80;
    static final Duration LONG = Duration.ofMinutes(1);
    private static final int MANY = 100_000;

    final CountingEncoder encoder = new CountingEncoder();
    final Chat chat;
    private final TcpListener telnet;
    private final TcpListener webSocket;

    Lab(UnaryOperator<ChatOptions> options) {
        this.chat = new Chat(options.apply(ChatOptions.defaults().withEncoder(encoder)), 1);
        this.telnet = serve(TELNET_PORT, new Telnet());
        this.webSocket = serve(WEB_SOCKET_PORT, new WebSocket());
    }

    private TcpListener serve(int port, Protocol protocol) {
        TcpOptions tcp = Chat.limits(TcpOptions.defaults().withMaxConnections(MANY));
        TcpListener listener = TcpListener.bind("127.0.0.1", port, tcp);
        Fiber.spin("serve " + port, () -> chat.serve(listener, protocol));
        return listener;
    }

    /** With virtual time, on several seeds. */
    static void run(UnaryOperator<ChatOptions> options, Body body) {
        TestCord.run(() -> runHere(options, body));
    }

    static void run(Body body) {
        run(UnaryOperator.identity(), body);
    }

    static void runHere(UnaryOperator<ChatOptions> options, Body body) throws Exception {
        Lab lab = new Lab(options);
        try (lab) {
            body.run(lab);
        }
        lab.encoder.checkDone();
    }

    // ---------------------------------------------------------------- users

    /** Has read the greeting. */
    TelnetUser telnet() {
        return new TelnetUser(TELNET_PORT);
    }

    WebSocketUser webSocket() {
        return new WebSocketUser(WEB_SOCKET_PORT);
    }

    /** In the room, and has read what that is answered; not the history. */
    TelnetUser telnet(String room, String name) {
        TelnetUser user = telnet();
        user.join(room, name);
        return user;
    }

    WebSocketUser webSocket(String room, String name) {
        WebSocketUser user = webSocket();
        user.join(room, name);
        return user;
    }

    // ---------------------------------------------------------------- looking

    @SuppressWarnings("unchecked") // so they are made
    ActorRef<Room.Message> room(String name) {
        ActorRef<?> found = chat.system().find("rooms/" + name);
        if (found == null) {
            throw new AssertionError("there is no room " + name);
        }
        return (ActorRef<Room.Message>) found;
    }

    long restarts() {
        return chat.system().supervisor("rooms").restarts();
    }

    int connections() {
        return telnet.open() + webSocket.open();
    }

    /** Until no connection is left. */
    void awaitNobody() {
        while (connections() > 0) {
            Fiber.sleep(Duration.ofMillis(10));
        }
    }

    @Override
    public void close() {
        chat.dismissAll();
        telnet.drain(LONG);
        webSocket.drain(LONG);
        chat.close();
        awaitNobody(); // who has not ended is listened for, within a limit
    }
}
