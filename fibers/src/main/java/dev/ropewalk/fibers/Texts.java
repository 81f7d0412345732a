package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/** What users give names and reasons, as text that fits into a line of a report. */
final class Texts {
    private static final int MOST_CHARS = 300;

    private Texts() {}

    /** Whatever its {@code toString} does, or returns. */
    static String of(@Nullable Object thing) {
        return thing == null ? "nothing" : line(FiberCore.textOf(thing));
    }

    /** One line, and not a long one. Null only by a {@code toString} that breaks its contract. */
    static String line(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        int shown = Math.min(text.length(), MOST_CHARS);
        StringBuilder line = new StringBuilder(shown);
        for (int i = 0; i < shown; i++) {
            char each = text.charAt(i);
            line.append(Character.isISOControl(each) ? ' ' : each);
        }
        return shown < text.length() ? line.append("...").toString() : line.toString();
    }
}
