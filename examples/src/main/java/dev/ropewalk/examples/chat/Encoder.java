package dev.ropewalk.examples.chat;

import io.netty.buffer.ByteBuf;

/** Makes bytes of what is said: a room calls it once for each message and format. */
@FunctionalInterface
interface Encoder {
    /**
     * The bytes.
     *
     * @return belongs to the caller
     */
    ByteBuf encode(Format format, String line);
}
