package dev.ropewalk.fibers.io;

import java.io.IOException;

/**
 * Tells that the input ended in the middle of the bytes that were to be read or skipped; the bytes
 * that were to be read stay readable.
 */
public final class EndOfInputException extends ConnectionException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message names the connection and says what was wanted
     * @param cause what went wrong
     */
    public EndOfInputException(String message, IOException cause) {
        super(message, cause);
    }
}
