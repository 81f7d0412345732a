package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An uncaught handler that remembers what it was told. */
final class Reports implements UncaughtHandler {
    private final List<Report> all = new CopyOnWriteArrayList<>();

    record Report(Fiber<?> fiber, Throwable failure) {}

    @Override
    public void uncaught(Fiber<?> fiber, Throwable failure) {
        all.add(new Report(fiber, failure));
    }

    List<Report> all() {
        return all;
    }

    /** The one report there is. */
    Report only() {
        assertEquals(1, all.size(), () -> "reports: " + all);
        return all.getFirst();
    }

    void assertNone() {
        assertEquals(List.of(), all);
    }
}
