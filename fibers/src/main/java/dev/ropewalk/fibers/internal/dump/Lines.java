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

    /**
     * Calls no code of the program: of its objects the class is told, because a {@code toString}
     * may not come back.
     */
    public static String ofOwn(@Nullable Object thing) {
        if (thing == null) {
            return "nothing";
        }
        String type = ClassNames.of(thing.getClass());
        boolean isKnown =
                thing instanceof String
                        || (thing instanceof Number && type.startsWith("java.lang."))
                        || type.startsWith("dev.ropewalk.");
        boolean isLambda = thing.getClass().isHidden(); // its text is its class, with numbers
        return line(isKnown && !isLambda ? SafeText.of(thing) : type);
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
