package dev.ropewalk.channels.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Netty's, told which responses are heads alone, and which fields the library adds. */
final class ResponseEncoder extends HttpResponseEncoder {
    private static final byte[] LENGTH = "content-length: ".getBytes(US_ASCII);
    private static final byte[] CONNECTION = "connection: ".getBytes(US_ASCII);
    private static final byte[] LINE_END = {'\r', '\n'};

    /** It is being encoded; null if it is another kind. */
    private @Nullable Whole whole;

    /** The answer to a HEAD: it tells of a body that does not follow. */
    static final class Head extends DefaultHttpResponse {
        Head(HttpResponseStatus status, io.netty.handler.codec.http.HttpHeaders headers) {
            super(HttpVersion.HTTP_1_1, status, headers);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /**
     * An answer with all of its body, and the program's header fields, which are not copied: behind
     * them the encoder writes those of the library.
     */
    static final class Whole extends DefaultFullHttpResponse {
        private final byte[] date;
        private final @Nullable AsciiString connection;

        Whole(
                HttpResponseStatus status,
                io.netty.handler.codec.http.HttpHeaders headers,
                ByteBuf content,
                byte[] date,
                @Nullable AsciiString connection) {
            super(HttpVersion.HTTP_1_1, status, content, headers, EmptyHttpHeaders.INSTANCE);
            this.date = date;
            this.connection = connection;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    @Override
    protected void encode(ChannelHandlerContext context, Object message, List<Object> out)
            throws Exception {
        whole = message instanceof Whole it ? it : null;
        super.encode(context, message, out);
    }

    @Override
    protected void encodeHeaders(io.netty.handler.codec.http.HttpHeaders headers, ByteBuf to) {
        super.encodeHeaders(headers, to);
        Whole it = whole;
        if (it != null) {
            whole = null; // its trailer, which is empty, has none of these
            to.writeBytes(it.date);
            to.writeBytes(LENGTH);
            to.writeCharSequence(Integer.toString(it.content().readableBytes()), US_ASCII);
            to.writeBytes(LINE_END);
            if (it.connection != null) {
                to.writeBytes(CONNECTION);
                to.writeCharSequence(it.connection, US_ASCII);
                to.writeBytes(LINE_END);
            }
        }
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
        return response instanceof Head || super.isContentAlwaysEmpty(response);
    }
}
