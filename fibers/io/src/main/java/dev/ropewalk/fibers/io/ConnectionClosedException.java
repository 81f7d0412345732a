package dev.ropewalk.fibers.io;

import java.io.IOException;

/** Tells that this side has closed the connection, the listener or the UDP socket. */
public final class ConnectionClosedException extends ConnectionException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message names the connection and says what was wanted
     * @param cause what went wrong
     */
    public ConnectionClosedException(String message, IOException cause) {
        super(message, cause);
    }
}
