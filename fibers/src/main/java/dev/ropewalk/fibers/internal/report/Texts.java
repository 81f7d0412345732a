package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;

/** Names of fibers, as text for reports. */
public final class Texts {
    /** Of a lineage, with the fiber itself. */
    private static final int MAX_NAMES = 16;

    private Texts() {}

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
}
