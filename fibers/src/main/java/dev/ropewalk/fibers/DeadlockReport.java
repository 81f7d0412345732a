package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/** Text for a cord on which nothing can ever run again: who waits for what. */
final class DeadlockReport {
    private static final int MOST_LINES = 50;

    private final StringBuilder text = new StringBuilder();
    private final Cord cord;
    private int lines;

    private DeadlockReport(Cord cord) {
        this.cord = cord;
    }

    static String of(Cord cord, Fiber<?> root) {
        DeadlockReport report = new DeadlockReport(cord);
        report.text
                .append("deadlock on ")
                .append(cord)
                .append(": no fiber is runnable and no timer");
        report.text.append(" is armed, while these wait:");
        report.add(root, 1);
        return report.text.toString();
    }

    private void add(Fiber<?> fiber, int depth) {
        if (++lines > MOST_LINES) {
            return;
        }
        text.append('\n').append("  ".repeat(depth));
        text.append(lines == MOST_LINES ? "..." : fiber.describeWait());
        if (fiber.cordOrNull() != cord) {
            return; // its children are that cord's
        }
        for (@Nullable Fiber<?> child = fiber.firstChild();
                child != null;
                child = child.nextSibling) {
            add(child, depth + 1);
        }
    }
}
