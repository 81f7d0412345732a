package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Looks at what an error tells its reader. */
public final class Errors {
    private Errors() {}

    public static void assertMentions(Throwable thrown, String... parts) {
        String message = String.valueOf(thrown.getMessage());
        for (String part : parts) {
            assertTrue(message.contains(part), () -> "no \"" + part + "\" in: " + message);
        }
    }
}
