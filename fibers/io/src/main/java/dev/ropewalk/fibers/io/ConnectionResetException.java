package dev.ropewalk.fibers.io;

import java.io.IOException;

/** Tells that the other side, or the way to it, broke the connection off. */
public final class ConnectionResetException extends ConnectionException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message names the connection and says what was wanted
     * @param cause what went wrong
     */
    public ConnectionResetException(String message, IOException cause) {
        super(message, cause);
    }
}
