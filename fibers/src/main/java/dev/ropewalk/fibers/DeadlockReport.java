package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.stream.Collectors;

/** Text for a cord on which nothing can ever run again: who waits for what, and for whom. */
final class DeadlockReport {
    private static final int MOST_LINES = 50;
    private static final int MOST_HOLDERS = 5;

    private final StringBuilder text = new StringBuilder();
    private final Cord cord;
    private final WaitGraph graph;
    private int lines;

    private DeadlockReport(Cord cord) {
        this.cord = cord;
        this.graph = new WaitGraph(cord);
    }

    static String of(Cord cord, Fiber<?> root) {
        DeadlockReport report = new DeadlockReport(cord);
        report.text
                .append("deadlock on ")
                .append(cord)
                .append(": no fiber is runnable and no timer");
        report.text.append(" is armed, while these wait:");
        report.add(root, 1);
        for (String cycle : report.graph.cycles()) {
            report.text.append('\n').append(cycle);
        }
        return report.text.toString();
    }

    private void add(Fiber<?> fiber, int depth) {
        if (++lines > MOST_LINES) {
            return;
        }
        text.append('\n').append("  ".repeat(depth));
        text.append(lines == MOST_LINES ? "..." : describe(fiber));
        if (fiber.cordOrNull() != cord) {
            return; // its children are that cord's
        }
        for (@Nullable Fiber<?> child = fiber.firstChild();
                child != null;
                child = child.nextSibling) {
            add(child, depth + 1);
        }
    }

    /** The name of one that is awaited stands in the reason already. */
    private String describe(Fiber<?> fiber) {
        List<Fiber<?>> holders = fiber.awaited() == null ? graph.blockersOf(fiber) : List.of();
        if (holders.isEmpty() || fiber.isEnding()) {
            return fiber.describeWait();
        }
        return fiber.describeWait()
                + ", held by "
                + holders.stream()
                        .limit(MOST_HOLDERS)
                        .map(Fiber::name)
                        .collect(Collectors.joining(", "))
                + (holders.size() > MOST_HOLDERS ? " and others" : "");
    }
}
