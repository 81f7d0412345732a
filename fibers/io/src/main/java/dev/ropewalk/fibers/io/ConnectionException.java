package dev.ropewalk.fibers.io;

import io.netty.channel.ConnectTimeoutException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;

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

    /** The message gives the reason and the remedy. */
    static ConnectionException notConnected(
            SocketAddress address, TcpOptions options, Throwable failure) {
        String to = "cannot connect to " + Addresses.text(address);
        if (failure instanceof ConnectTimeoutException) {
            return new ConnectionTimeoutException(
                    to + " within connectLimit=" + options.connectLimit(),
                    new SocketTimeoutException("connect"));
        }
        IOException cause = failure instanceof IOException io ? io : new IOException(failure);
        String remedy = cause instanceof ConnectException ? "; does a server listen there?" : "";
        return new ConnectionException(to + ": " + cause.getMessage() + remedy, cause);
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
