package dev.ropewalk.channels.flow;

import org.awaitility.Awaitility;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits of plain threads in tests, each with a limit. */
final class Latches {
    private static final long LIMIT_S = 20;

    private Latches() {}

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

    static void until(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(LIMIT_S))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(condition);
    }
}
