package dev.ropewalk.actors.observer;

import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

/** Names, reasons and failures of the program, as text that a page can show on a line. */
final class Texts {
    private static final int MAX_CHARS = 300;

    private Texts() {}

    /** A line, cut. Signs that turn the direction of text are told by their numbers. */
    static @Nullable String line(@Nullable String text) {
        if (text == null) {
            return null;
        }
        int shown = Math.min(text.length(), MAX_CHARS);
        StringBuilder line = new StringBuilder(shown);
        for (int i = 0; i < shown; i++) {
            char each = text.charAt(i);
            if (isDirection(each)) {
                line.append("<U+")
                        .append(Integer.toHexString(each).toUpperCase(java.util.Locale.ROOT));
                line.append('>');
            } else {
                line.append(Character.isISOControl(each) ? ' ' : each);
            }
        }
        return shown < text.length() ? line.append("...").toString() : line.toString();
    }

    private static boolean isDirection(char each) {
        return each == 0x61c
                || each == 0x200e
                || each == 0x200f
                || (each >= 0x202a && each <= 0x202e)
                || (each >= 0x2066 && each <= 0x2069);
    }

    /** Safe against a {@code getMessage} that throws. */
    static String of(Throwable failure) {
        String text;
        try {
            text = String.valueOf(failure);
        } catch (Throwable thrown) {
            Waits.throwIfSignal(thrown);
            text = failure.getClass().getName();
        }
        return String.valueOf(line(text));
    }
}
