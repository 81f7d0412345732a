package dev.ropewalk.actors.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Looks at what an error tells its reader. */
public final class Errors {
    private Errors() {}

    /** Of the paths and numbers of actors in the text, only the names are left. */
    public static String inShort(String text) {
        return text.replaceAll("(?:[\\w.@-]+/)+(?=\\w)", "").replaceAll("#\\d+", "");
    }

    /** Each of them, with the actors by path and number or by name alone. */
    public static void assertMentions(Throwable thrown, String... parts) {
        String message = String.valueOf(thrown.getMessage());
        String inShort = inShort(message);
        for (String part : parts) {
            boolean isThere = message.contains(part) || inShort.contains(part);
            assertTrue(isThere, () -> "no \"" + part + "\" in: " + message);
        }
    }
}
