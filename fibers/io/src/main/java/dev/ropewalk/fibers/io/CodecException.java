package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.Utf8;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;

/**
 * Tells that a {@link Codec} cannot decode the input, for example a frame above its limit, or
 * cannot encode a message; or that a line to be read, or a text to be written, is no text.
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

    /** The bytes of a text that is to go there; an error of the caller if the text has no bytes. */
    static byte[] encoded(String text, Object to) {
        String fault = Utf8.fault(text);
        if (fault != null) {
            throw new CodecException(
                    "cannot write text to " + to + ": " + fault, new MalformedInputException(1));
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
