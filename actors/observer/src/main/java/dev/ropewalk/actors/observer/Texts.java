package dev.ropewalk.actors.observer;

import dev.ropewalk.fibers.internal.dump.Lines;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Names, reasons and failures of the program, as text that a page can show on a line. */
final class Texts {
    /** Signs that turn the direction of text. */
    private static final Pattern DIRECTIONS =
            Pattern.compile("[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]");

    private Texts() {}

    /** A line, cut. Signs of direction are told by their numbers. */
    static @Nullable String line(@Nullable String text) {
        return text == null ? null : told(Lines.line(text));
    }

    /** Safe against a {@code toString} that throws. */
    static String of(Throwable failure) {
        return told(Lines.of(failure));
    }

    /** Where a failure was thrown; empty if its class tells that by code of its own. */
    static List<StackTraceElement> stack(Throwable failure) {
        try {
            Class<?> told = failure.getClass().getMethod("getStackTrace").getDeclaringClass();
            return told == Throwable.class ? List.of(failure.getStackTrace()) : List.of();
        } catch (NoSuchMethodException none) {
            throw new AssertionError(none);
        } catch (LinkageError notWhole) {
            return List.of(); // a method of its class names a class that is not there
        }
    }

    /** Of a line that is cut: with the signs of direction told. */
    static String told(String line) {
        return DIRECTIONS
                .matcher(line)
                .replaceAll(
                        sign ->
                                "<U+"
                                        + Integer.toHexString(sign.group().charAt(0))
                                                .toUpperCase(Locale.ROOT)
                                        + ">");
    }
}
