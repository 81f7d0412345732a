package dev.ropewalk.fibers.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.UncaughtHandler;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An uncaught handler that remembers what it was told. */
public final class Reports implements UncaughtHandler {
    private final List<Report> all = new CopyOnWriteArrayList<>();

    public record Report(Fiber<?> fiber, Throwable failure) {}

    @Override
    public void uncaught(Fiber<?> fiber, Throwable failure) {
        all.add(new Report(fiber, failure));
    }

    public List<Report> all() {
        return all;
    }

    /** The one report there is. */
    public Report only() {
        assertEquals(1, all.size(), () -> "reports: " + all);
        return all.getFirst();
    }

    public void assertNone() {
        assertEquals(List.of(), all);
    }
}
