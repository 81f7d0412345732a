package dev.ropewalk.examples.kv;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/** Tells that a log cannot be read, and what to do. Its text is for people: it is all of a line. */
final class LogException extends IOException {
    private static final long serialVersionUID = 1L;

    private LogException(String text, @Nullable Throwable cause) {
        super(text, cause);
    }

    /** The disk has failed; it says what, but not of which file. */
    static LogException unreadable(Path path, IOException cause) {
        return new LogException(path + " cannot be read: " + cause, cause);
    }

    /** What is behind that byte makes no sense. */
    static LogException damaged(Path path, long at, String why, @Nullable Throwable cause) {
        return new LogException(
                path
                        + " is damaged behind byte "
                        + at
                        + ": "
                        + why
                        + "; it is left as it is. Take a copy of it that is whole, or give up what"
                        + " is behind that byte: truncate -s "
                        + at
                        + " "
                        + path,
                cause);
    }

    @Override
    @SuppressWarnings(
            "OverrideThrowableToString") // printed by what names it as the cause of a start
    public String toString() {
        return String.valueOf(getMessage());
    }
}
