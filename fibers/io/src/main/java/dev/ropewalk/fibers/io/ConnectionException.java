package dev.ropewalk.fibers.io;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Tells that a call of a connection, a listener or a UDP socket cannot do what it is for. The cause
 * is what the system or Netty said.
 */
public class ConnectionException extends UncheckedIOException {
    private static final long serialVersionUID = 1L;

    /** Whose other side caused this; null if none did, or nobody knows. */
    private transient @Nullable TcpConnection blamed;

    /**
     * Made by the library.
     *
     * @param message names the connection and says what was wanted
     * @param cause what went wrong
     */
    public ConnectionException(String message, IOException cause) {
        super(message, cause);
    }

    /** By {@link TcpConnection#blame}. */
    void blame(TcpConnection connection) {
        blamed = connection;
    }

    boolean isBlamedOn(TcpConnection connection) {
        return blamed == connection;
    }
}
