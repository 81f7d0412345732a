package dev.ropewalk.fibers.io;

import java.io.IOException;

/**
 * Tells that the two sides could not agree on TLS, or that the input is no TLS: a certificate that
 * is not trusted or for another name, a client without one, plain text. The cause says which.
 */
public final class TlsException extends ConnectionException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message names the connection and says what was wanted
     * @param cause what the TLS engine said
     */
    public TlsException(String message, IOException cause) {
        super(message, cause);
    }
}
