package dev.ropewalk.examples.kv;

import java.io.ByteArrayInputStream;
import java.io.IOException;

/**
 * The end of a log that begins with a command which is not whole. A kill or a loss of power leaves
 * such an end, with zeros behind it or without; so does damage, as a length that is too large, but
 * then whole commands stand behind it.
 */
final class TornEnd {
    private TornEnd() {}

    /** Where the first whole command stands that a log may have; -1 if there is none. */
    static int wholeCommand(byte[] end) {
        for (int at = 1; at < end.length; at++) {
            if (end[at] == '*' && end[at - 1] == '\n' && isWhole(end, at)) {
                return at;
            }
        }
        return -1;
    }

    private static boolean isWhole(byte[] end, int at) {
        try {
            Words command =
                    new CommandReader(new ByteArrayInputStream(end, at, end.length - at)).next();
            return command != null && Commands.isWrite(command);
        } catch (IOException none) {
            return false;
        }
    }
}
