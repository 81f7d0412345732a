package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.UncaughtHandler;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Cords with real time for tests, and what they report. */
final class RealCords {
    private static final long LIMIT_S = 10;
    private static final Duration POLL = Duration.ofMillis(1);

    private RealCords() {}

    /** An uncaught handler that remembers what it was told. */
    static final class Reports implements UncaughtHandler {
        private final List<Throwable> all = new CopyOnWriteArrayList<>();

        @Override
        public void uncaught(Fiber<?> fiber, Throwable failure) {
            all.add(failure);
        }

        List<Throwable> all() {
            return all;
        }

        void assertNone() {
            assertEquals(List.of(), all);
        }
    }

    static Cord started(String name, Reports reports) {
        return Cord.start(CordOptions.named(name).withUncaught(reports));
    }

    /** What the code returns there. */
    static <T extends @Nullable Object> T onCord(Cord cord, Callable<? extends T> code) {
        return cord.<T>spin("look", code).await();
    }

    /** Blocks this thread, with a limit. */
    static void await(CountDownLatch latch) {
        boolean opened = false;
        try {
            opened = latch.await(LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!opened) {
            throw new AssertionError("the latch was not opened within " + LIMIT_S + " s");
        }
    }

    /** Blocks this thread until the condition holds, with a limit. */
    static void until(Callable<Boolean> condition) {
        Awaitility.await().pollDelay(Duration.ZERO).pollInterval(POLL).until(condition);
    }

    static Throwable failureOf(Action action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            return thrown;
        }
        throw new AssertionError("nothing was thrown");
    }
}
