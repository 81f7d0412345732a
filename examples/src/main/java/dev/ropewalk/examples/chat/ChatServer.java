package dev.ropewalk.examples.chat;

import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.examples.server.Places;
import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;
import dev.ropewalk.fibers.io.IoMetrics;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TcpOptions;

import java.time.Duration;

/** The chat on cords of its own, with two listeners on each: telnet and WebSocket. */
final class ChatServer implements ServerProgram.Server {
    private final Chat chat;
    private final Places telnet;
    private final Places webSocket;

    /** For plain threads. */
    ChatServer(ServerOptions server, int webSocketPort, ChatOptions options) {
        this.chat = new Chat(options, server.cords());
        TcpOptions tcp = Chat.limits(server.tcp());
        boolean isUp = false;
        try {
            this.telnet = listen("telnet", server.port(), tcp, new Telnet());
            this.webSocket = listen("websocket", webSocketPort, tcp, new WebSocket());
            isUp = true;
        } finally {
            if (!isUp) {
                chat.close();
            }
        }
    }

    private Places listen(String group, int port, TcpOptions tcp, Protocol protocol) {
        return Places.on(
                chat.cords(),
                port,
                common ->
                        new Listening(
                                group, chat, TcpListener.bind("127.0.0.1", common, tcp), protocol));
    }

    /** A listener of one cord, for one protocol. */
    private record Listening(String group, Chat chat, TcpListener listener, Protocol protocol)
            implements Places.Listening {
        @Override
        public int port() {
            return listener.port();
        }

        @Override
        public void serve() {
            chat.serve(listener, protocol);
        }

        @Override
        public void drain(Duration limit) {
            listener.drain(limit);
        }

        @Override
        public ObserverOptions shownBy(ObserverOptions observer) {
            return observer.withMetrics(IoMetrics.listener(group, listener));
        }
    }

    @Override
    public int port() {
        return telnet.port();
    }

    int webSocketPort() {
        return webSocket.port();
    }

    @Override
    public String where() {
        return "127.0.0.1:" + port() + " for telnet, ws://127.0.0.1:" + webSocketPort() + "/";
    }

    @Override
    public ObserverOptions shownBy(ObserverOptions observer) {
        return webSocket.shownBy(telnet.shownBy(observer));
    }

    /** All clients hear that it is over. */
    @Override
    public void close() {
        try (chat) {
            chat.dismissAll();
            telnet.close();
            webSocket.close();
        }
    }
}
