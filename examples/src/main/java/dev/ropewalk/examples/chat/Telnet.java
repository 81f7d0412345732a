package dev.ropewalk.examples.chat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.io.Codec;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.TcpConnection;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.util.ReferenceCounted;

import org.jspecify.annotations.Nullable;

import java.nio.charset.CharacterCodingException;

/** Lines of UTF-8. A part of a line, cut off by the end of the connection, is no line. */
final class Telnet implements Protocol {
    private static final Farewell TOO_LONG =
            new Farewell(1009, "a line may have " + MAX_LINE_BYTES + " bytes at most");

    @Override
    public Format format() {
        return Format.LINE;
    }

    @Override
    public boolean open(TcpConnection connection) {
        return true;
    }

    @Override
    public Codec<ReferenceCounted> codec() {
        // One more, because a CR may be there whose LF has not come.
        return Codec.of(
                ReferenceCounted.class,
                () -> new LineBasedFrameDecoder(MAX_LINE_BYTES + 1, true, true));
    }

    @Override
    public void received(ReferenceCounted message, Session session) {
        ByteBuf line = (ByteBuf) message;
        if (line.readableBytes() > MAX_LINE_BYTES) {
            session.end(TOO_LONG);
            return;
        }
        String text = text(line);
        if (text == null) {
            session.client().sendNotice("not said: the line is no UTF-8");
        } else {
            session.line(text);
        }
    }

    /** Null if it is no UTF-8. */
    private static @Nullable String text(ByteBuf line) {
        try {
            return UTF_8.newDecoder().decode(line.nioBuffer()).toString();
        } catch (CharacterCodingException malformed) {
            return null;
        }
    }

    @Override
    public Farewell undecodable(CodecException failure) {
        return TOO_LONG;
    }
}
