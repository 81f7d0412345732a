package dev.ropewalk.examples.chat;

import dev.ropewalk.channels.broadcast.Broadcast;
import dev.ropewalk.examples.server.Places;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;

import io.netty.handler.codec.http.websocketx.WebSocketFrame;

import java.time.Duration;

/** The server on one cord; the room is that of all. */
record Chat(TcpListener listener, Broadcast<String> room) implements Places.Listening {
    @Override
    public int port() {
        return listener.port();
    }

    @Override
    public void serve() {
        listener.serve("member", this::serve);
    }

    private void serve(TcpConnection client) {
        try {
            if (Upgrade.agree(client)) {
                try (MessageConnection<WebSocketFrame> frames = Upgrade.frames(client)) {
                    new Member(frames, room).run();
                }
            }
        } catch (ConnectionException gone) {
            // A member that is gone has left.
        }
    }

    /** Who is in the room when the drain begins hears that it is over. */
    @Override
    public void drain(Duration limit) {
        room.close();
        listener.drain(limit);
    }
}
