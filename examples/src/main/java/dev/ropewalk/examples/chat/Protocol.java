package dev.ropewalk.examples.chat;

import dev.ropewalk.fibers.io.Codec;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.TcpConnection;

import io.netty.util.ReferenceCounted;

/** How a kind of client speaks. Without a state of its own. */
interface Protocol {
    /** A line that is sent may have so many bytes. */
    int MAX_LINE_BYTES = 2_048;

    /** How it is written to. */
    Format format();

    /** Reads and answers the begin of the connection; false if it is none of this kind. */
    boolean open(TcpConnection connection);

    /** Cuts the bytes into messages. */
    Codec<ReferenceCounted> codec();

    /** Reads what came; does not release it. */
    void received(ReferenceCounted message, Session session);

    /** The last words to one that sent what cannot be read. */
    Farewell undecodable(CodecException failure);
}
