package dev.ropewalk.examples.chat;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.broadcast.Broadcast;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.spi.ClosedException;

import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;

/** Somebody in the room: waits for what is said here and there in one select. */
final class Member {
    /** One that reads too slowly misses the oldest of what is said. */
    private static final int MAX_BEHIND = 256;

    private final MessageConnection<WebSocketFrame> frames;
    private final Broadcast<String> room;
    private final ReceivePort<String> heard;
    private boolean isOver;

    Member(MessageConnection<WebSocketFrame> frames, Broadcast<String> room) {
        this.frames = frames;
        this.room = room;
        this.heard = room.subscribe(ChannelOptions.sliding(MAX_BEHIND));
    }

    /** Until either side ends it. */
    void run() {
        try {
            Select<Runnable> next =
                    Select.of(
                            frames.onReceive(frame -> () -> take(frame)),
                            heard.onReceive(
                                    text -> () -> frames.write(new TextWebSocketFrame(text))));
            while (!isOver) {
                next.await().run();
            }
        } catch (ClosedException end) {
            frames.write(new CloseWebSocketFrame(reason(end)));
        } finally {
            heard.cancel();
        }
    }

    /** What came was no WebSocket; otherwise the room is closed, or the other side has left. */
    private static WebSocketCloseStatus reason(ClosedException end) {
        return end.getCause() instanceof CodecException
                ? WebSocketCloseStatus.PROTOCOL_ERROR
                : WebSocketCloseStatus.ENDPOINT_UNAVAILABLE;
    }

    private void take(WebSocketFrame frame) {
        try {
            switch (frame) {
                case TextWebSocketFrame said -> room.trySend(said.text());
                case PingWebSocketFrame ping ->
                        frames.write(new PongWebSocketFrame(ping.content().retain()));
                case PongWebSocketFrame _ -> {}
                case CloseWebSocketFrame close -> {
                    isOver = true;
                    frames.write(new CloseWebSocketFrame(true, 0, close.content().retain()));
                }
                default -> {
                    isOver = true;
                    frames.write(
                            new CloseWebSocketFrame(WebSocketCloseStatus.INVALID_MESSAGE_TYPE));
                }
            }
        } finally {
            frame.release();
        }
    }
}
