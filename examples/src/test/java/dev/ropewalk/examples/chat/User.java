package dev.ropewalk.examples.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

/** A user of either kind. */
interface User {
    /** Sends a line. */
    void say(String line);

    /** The next line that comes. */
    String next();

    /** Enters a room, and reads what that is answered. */
    default void join(String room, String name) {
        say("/join " + room + " " + name);
        String answer = next();
        assertTrue(answer.startsWith("* you are " + name + " in " + room + ";"), answer);
    }

    default void expect(String... lines) {
        for (String each : lines) {
            assertEquals(each, next());
        }
    }

    default void expect(List<String> lines) {
        expect(lines.toArray(new String[0]));
    }
}
