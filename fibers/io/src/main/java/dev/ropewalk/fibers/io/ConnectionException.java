package dev.ropewalk.fibers.io;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Tells that a call of a connection, a listener or a UDP socket cannot do its work. The cause is
 * the failure of the system or of Netty.
 */
public class ConnectionException extends UncheckedIOException {
    private static final long serialVersionUID = 1L;

    /** Causes may go round in a circle. */
    static final int MAX_CAUSES = 100;

    /** The connection whose other side caused this; null if it did not, or is not known to have. */
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

    /** Whether the failure, or one of its causes, is blamed on it. */
    static boolean isCausedBy(TcpConnection connection, Throwable failure) {
        Throwable each = failure;
        for (int depth = 0; each != null && depth < MAX_CAUSES; depth++) {
            if (each instanceof ConnectionException told && told.blamed == connection) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }

    /** By {@link TcpConnection#blame}. */
    void blame(TcpConnection connection) {
        blamed = connection;
    }
}
