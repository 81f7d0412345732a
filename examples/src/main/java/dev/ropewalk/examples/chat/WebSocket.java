package dev.ropewalk.examples.chat;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.io.Codec;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.TcpConnection;

import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.Utf8FrameValidator;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.util.ReferenceCounted;

import java.time.Duration;

/** Frames of a WebSocket: a text frame is a line. */
final class WebSocket implements Protocol {
    private static final Duration UPGRADE_LIMIT = Duration.ofSeconds(10);
    private static final Farewell NO_FRAME = new Farewell(1002, "no WebSocket frame");
    private static final Farewell NO_CODE = new Farewell(1002, "no code of a close");
    private static final Farewell TOO_LONG =
            new Farewell(1009, "a line may have " + MAX_LINE_BYTES + " bytes at most");

    /** The highest code that may be sent (RFC 6455, section 7.4); the codec checks the others. */
    private static final int MAX_CODE = 4_999;

    private static final Farewell NO_TEXT = new Farewell(1003, "only text is understood here");

    @Override
    public Format format() {
        return Format.FRAME;
    }

    @Override
    public boolean open(TcpConnection connection) {
        return CancelScope.moveOnAfter(UPGRADE_LIMIT, false, () -> Upgrade.agree(connection));
    }

    /** Whole messages; a line that is encoded already passes through. */
    @Override
    public Codec<ReferenceCounted> codec() {
        WebSocketDecoderConfig config =
                WebSocketDecoderConfig.newBuilder()
                        .expectMaskedFrames(true)
                        .maxFramePayloadLength(MAX_LINE_BYTES)
                        .closeOnProtocolViolation(false)
                        .build();
        return Codec.of(
                ReferenceCounted.class,
                () -> new WebSocket13FrameDecoder(config),
                () -> new WebSocketFrameAggregator(MAX_LINE_BYTES),
                () -> new Utf8FrameValidator(false),
                () -> new WebSocket13FrameEncoder(false));
    }

    @Override
    public void received(ReferenceCounted message, Session session) {
        switch (message) {
            case TextWebSocketFrame said -> session.line(said.text());
            case PingWebSocketFrame ping ->
                    session.client().send(new PongWebSocketFrame(ping.content().retain()));
            case PongWebSocketFrame _ -> {}
            case CloseWebSocketFrame close when close.statusCode() > MAX_CODE ->
                    session.end(NO_CODE);
            case CloseWebSocketFrame close ->
                    session.end(new Farewell(close.statusCode(), close.reasonText()));
            default -> session.end(NO_TEXT);
        }
    }

    @Override
    public Farewell undecodable(CodecException failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof CorruptedWebSocketFrameException corrupted) {
                return new Farewell(
                        corrupted.closeStatus().code(), corrupted.closeStatus().reasonText());
            }
            if (each instanceof TooLongFrameException) {
                return TOO_LONG; // a message in parts
            }
        }
        return NO_FRAME;
    }
}
