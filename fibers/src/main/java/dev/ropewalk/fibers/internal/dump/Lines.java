package dev.ropewalk.fibers.internal.dump;

import dev.ropewalk.fibers.internal.platform.SafeText;

import org.jspecify.annotations.Nullable;

/** Names, reasons and messages of users, as text that fits into a line of a report. */
public final class Lines {
    private static final int MAX_CHARS = 300;

    private Lines() {}

    /** Safe against a {@code toString} that throws or returns null. */
    public static String of(@Nullable Object thing) {
        return thing == null ? "nothing" : line(SafeText.of(thing));
    }

    /** One line, and not a long one. Null only by a {@code toString} that breaks its contract. */
    public static String line(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        int shown = Math.min(text.length(), MAX_CHARS);
        if (shown < text.length() && Character.isHighSurrogate(text.charAt(shown - 1))) {
            shown--; // half a character is none
        }
        StringBuilder line = new StringBuilder(shown);
        for (int i = 0; i < shown; i++) {
            char each = text.charAt(i);
            line.append(Character.isISOControl(each) ? ' ' : each);
        }
        return shown < text.length() ? line.append("...").toString() : line.toString();
    }
}
