package dev.ropewalk.fibers.io;

import java.io.IOException;

/** Tells that a line is longer than {@link TcpOptions#maxLineBytes}; its bytes stay readable. */
public final class LineTooLongException extends ConnectionException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message names the connection and says what was wanted
     * @param cause what went wrong
     */
    public LineTooLongException(String message, IOException cause) {
        super(message, cause);
    }
}
