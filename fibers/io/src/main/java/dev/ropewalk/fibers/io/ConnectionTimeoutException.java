package dev.ropewalk.fibers.io;

import java.io.IOException;

/**
 * Tells that a limit of the connection or the UDP socket has passed: to connect, to read, or to be
 * idle.
 */
public final class ConnectionTimeoutException extends ConnectionException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message names the connection and says what was wanted
     * @param cause what went wrong
     */
    public ConnectionTimeoutException(String message, IOException cause) {
        super(message, cause);
    }
}
