package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** What messages of errors say. */
final class Errors {
    private Errors() {}

    static void assertMentions(Throwable thrown, String... parts) {
        String text = String.valueOf(thrown.getMessage());
        for (String part : parts) {
            assertTrue(text.contains(part), () -> "no \"" + part + "\" in: " + text);
        }
    }
}
