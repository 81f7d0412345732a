package dev.ropewalk.fibers.internal.report;

import static java.util.stream.Collectors.joining;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;

/**
 * Text for cords on which nothing can ever run again: the reason of each fiber's wait, and the
 * other fiber that it waits for.
 */
public final class DeadlockReport {
    private static final int MAX_LINES = 50;
    private static final int MAX_HOLDERS = 5;

    private final StringBuilder text = new StringBuilder();

    /** The cords share a thread, so nothing changes while it is read. */
    private final Set<CordImpl> cords;

    private final WaitGraph graph;
    private int lines;

    private DeadlockReport(List<CordImpl> cords) {
        this.cords = Set.copyOf(cords);
        this.graph = new WaitGraph(cords);
    }

    public static String of(List<CordImpl> cords) {
        DeadlockReport report = new DeadlockReport(cords);
        report.text.append("deadlock on ");
        report.text.append(cords.stream().map(CordImpl::toString).collect(joining(", ")));
        report.text.append(": no fiber is runnable and no timer is armed, while these wait:");
        report.addAll(cords);
        return report.text.toString();
    }

    /** A line for each that waits, and one for each circle. */
    static String waitsOn(CordImpl cord) {
        DeadlockReport report = new DeadlockReport(List.of(cord));
        report.addAll(List.of(cord));
        return report.text.toString();
    }

    private void addAll(List<CordImpl> all) {
        for (CordImpl each : all) {
            add(each.root(), 1);
        }
        for (String cycle : graph.cycles(Lines::of)) {
            text.append('\n').append(cycle);
        }
    }

    private void add(FiberImpl<?> fiber, int depth) {
        if (++lines > MAX_LINES) {
            return;
        }
        text.append('\n').append("  ".repeat(depth));
        text.append(lines == MAX_LINES ? "..." : describe(fiber));
        CordImpl home = fiber.cordOrNull();
        if (home == null || !cords.contains(home)) {
            return; // its children are that cord's
        }
        for (@Nullable FiberImpl<?> child = fiber.firstChild();
                child != null;
                child = child.nextSibling) {
            add(child, depth + 1);
        }
    }

    /** The name of one that is awaited stands in the reason already. */
    private String describe(FiberImpl<?> fiber) {
        List<FiberImpl<?>> holders = fiber.awaited() == null ? graph.blockersOf(fiber) : List.of();
        if (holders.isEmpty() || fiber.isEnding()) {
            return fiber.describeWait();
        }
        return fiber.describeWait()
                + ", held by "
                + holders.stream().limit(MAX_HOLDERS).map(FiberImpl::name).collect(joining(", "))
                + (holders.size() > MAX_HOLDERS ? " and others" : "");
    }
}
