package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

/** What users give names and reasons, as text that fits into a line of a report. */
public final class Texts {
    private static final int MAX_CHARS = 300;

    /** Of a lineage, with the fiber itself. */
    private static final int MAX_NAMES = 16;

    private Texts() {}

    /** Whatever its {@code toString} does, or returns. */
    static String of(@Nullable Object thing) {
        return thing == null ? "nothing" : line(FiberImpl.textOf(thing));
    }

    /** The fiber and those above it; deep down the ones before the root are counted only. */
    public static String lineage(FiberImpl<?> fiber) {
        StringBuilder text = new StringBuilder(fiber.toString());
        int names = 1;
        int unnamed = 0;
        for (FiberImpl<?> each = fiber.parentOrNull(); each != null; ) {
            FiberImpl<?> above = each.parentOrNull();
            if (above != null && ++names >= MAX_NAMES) {
                unnamed++;
            } else {
                if (unnamed > 0) {
                    text.append(" < ").append(unnamed).append(" more");
                }
                text.append(" < ").append(each.name());
                if (each.cordOrNull() != fiber.cordOrNull()) {
                    text.append(" on ").append(each.cordOrNull());
                }
            }
            each = above;
        }
        return text.toString();
    }

    /** One line, and not a long one. Null only by a {@code toString} that breaks its contract. */
    static String line(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        int shown = Math.min(text.length(), MAX_CHARS);
        StringBuilder line = new StringBuilder(shown);
        for (int i = 0; i < shown; i++) {
            char each = text.charAt(i);
            line.append(Character.isISOControl(each) ? ' ' : each);
        }
        return shown < text.length() ? line.append("...").toString() : line.toString();
    }
}
