package dev.ropewalk.examples.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.io.Codec;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.spi.ClosedException;

import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;

/** A user by WebSocket: that of Netty, client's side. */
final class WebSocketUser implements User {
    static final String END = "(the end)";
    private static final int MAX_FRAME_BYTES = 100_000;

    final MessageConnection<WebSocketFrame> frames;

    WebSocketUser(int port) {
        TcpConnection connection = TcpConnection.connect("127.0.0.1", port);
        connection.write(
                """
                GET / HTTP/1.1
                Host: x
                Upgrade: websocket
                Connection: Upgrade
                Sec-WebSocket-Version: 13
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==

                """
                        .replace("\n", "\r\n"));
        assertEquals("HTTP/1.1 101 Switching Protocols", connection.readLine());
        for (String line = "x"; line != null && !line.isEmpty(); ) {
            line = connection.readLine();
        }
        frames =
                connection.messages(
                        Codec.of(
                                WebSocketFrame.class,
                                () -> new WebSocket13FrameDecoder(false, false, MAX_FRAME_BYTES),
                                () -> new WebSocket13FrameEncoder(true)));
        String greeting = next();
        assertTrue(greeting.startsWith("* /join ROOM NAME"), greeting);
    }

    @Override
    public void say(String line) {
        frames.write(new TextWebSocketFrame(line));
    }

    /** "closed" with the status for a close frame, {@link #END} at the end. */
    @Override
    public String next() {
        WebSocketFrame frame;
        try {
            frame = frames.receive();
        } catch (ClosedException end) {
            return END;
        }
        try {
            return switch (frame) {
                case TextWebSocketFrame text -> text.text();
                case CloseWebSocketFrame close -> "closed " + close.statusCode();
                case PongWebSocketFrame pong -> "pong " + pong.content().readableBytes();
                default -> frame.toString();
            };
        } finally {
            frame.release();
        }
    }
}
