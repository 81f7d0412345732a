package dev.ropewalk.examples.kv;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a client is answered. */
sealed interface Reply {
    Reply OK = new Line("OK");
    Reply NONE = new Bytes(null);
    Reply ZERO = new Whole(0);
    Reply ONE = new Whole(1);

    /** A short text without a line end. */
    record Line(String text) implements Reply {}

    /** The first word is for programs. */
    record Failure(String text) implements Reply {}

    /** A whole number. */
    record Whole(long value) implements Reply {}

    /** A value; null if there is none. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    record Bytes(byte @Nullable [] value) implements Reply {}

    /** A list of replies. */
    record Many(List<? extends Reply> parts) implements Reply {}

    /** Keys and values in turn: a list for those who speak RESP2. */
    record Pairs(List<? extends Reply> parts) implements Reply {}

    /** What comes without being asked for: a list for those who speak RESP2. */
    record Push(List<? extends Reply> parts) implements Reply {}

    /** From this reply on the client speaks another version. */
    record Speak(int version, Reply reply) implements Reply {}

    static Reply of(boolean isTrue) {
        return isTrue ? ONE : ZERO;
    }

    static Reply text(String text) {
        return new Bytes(bytes(text));
    }

    static Reply failure(CommandException bad) {
        return new Failure(String.valueOf(bad.getMessage()));
    }

    /** A byte for each character. */
    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
