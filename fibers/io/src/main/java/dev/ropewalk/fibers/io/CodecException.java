package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.Utf8;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;

/**
 * Tells that a {@link Codec} cannot decode what the other side has sent, as a frame above its limit
 * is, or cannot encode what was to be written; or that a line that was to be read, or a text that
 * was to be written, is none.
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

    /** The bytes of a text that is to go there; an error of the caller if it has none. */
    static byte[] encoded(String text, Object to) {
        String fault = Utf8.fault(text);
        if (fault != null) {
            throw new CodecException(
                    "cannot write text to " + to + ": " + fault, new MalformedInputException(1));
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
