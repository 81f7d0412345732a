package dev.ropewalk.examples.chat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.util.ReferenceCounted;

/**
 * How a line becomes bytes for a kind of client. All clients of the kind can share the bytes, so
 * they are outside of the heap: a socket would copy others, once for each client.
 */
enum Format {
    /** A line of UTF-8, for telnet. */
    LINE {
        @Override
        ByteBuf encode(ByteBufAllocator allocator, String line) {
            int length = ByteBufUtil.utf8Bytes(line);
            ByteBuf made = allocator.directBuffer(length + 1);
            ByteBufUtil.reserveAndWriteUtf8(made, line, length);
            return made.writeByte('\n');
        }

        @Override
        ReferenceCounted farewell(Farewell last) {
            return encode(ByteBufAllocator.DEFAULT, "* " + last.text());
        }
    },

    /** A text frame of a WebSocket, as servers send it: not masked (RFC 6455, section 5.2). */
    FRAME {
        @Override
        ByteBuf encode(ByteBufAllocator allocator, String line) {
            int length = ByteBufUtil.utf8Bytes(line);
            if (length > MAX_SHORT) {
                throw new IllegalArgumentException(
                        "a line of " + length + " bytes > " + MAX_SHORT + ": no frame is so long");
            }
            ByteBuf made = allocator.directBuffer(length + 4);
            made.writeByte(WHOLE_TEXT);
            if (length < SHORT_FOLLOWS) {
                made.writeByte(length);
            } else {
                made.writeByte(SHORT_FOLLOWS).writeShort(length);
            }
            ByteBufUtil.reserveAndWriteUtf8(made, line, length);
            return made;
        }

        @Override
        ReferenceCounted farewell(Farewell last) {
            return last.status() < 0
                    ? new CloseWebSocketFrame()
                    : new CloseWebSocketFrame(last.status(), last.text());
        }
    };

    private static final int WHOLE_TEXT = 0x81;
    private static final int SHORT_FOLLOWS = 126;
    private static final int MAX_SHORT = 0xffff;

    /** The bytes of a line, which are the caller's. */
    abstract ByteBuf encode(ByteBufAllocator allocator, String line);

    /** The last words, for one client. */
    abstract ReferenceCounted farewell(Farewell last);
}
