package dev.ropewalk.fibers.io;

import java.io.IOException;

/**
 * Tells that a {@link Codec} cannot decode what the other side has sent, as a frame above its limit
 * is, or cannot encode what was to be written; or that a line that was to be read is no text.
 */
public final class CodecException extends ConnectionException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message names the connection and says what was wanted
     * @param cause what the codec said
     */
    public CodecException(String message, IOException cause) {
        super(message, cause);
    }
}
