package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Looks at what an error tells its reader. */
final class Errors {
    private Errors() {}

    static void assertMentions(Throwable thrown, String... parts) {
        String message = String.valueOf(thrown.getMessage());
        for (String part : parts) {
            assertTrue(message.contains(part), () -> "no \"" + part + "\" in: " + message);
        }
    }
}
