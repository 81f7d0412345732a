package dev.ropewalk.fibers.internal.watch;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;

/** Rule F2: one ticker per process, which sleeps while no cord is busy. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TickerTest {
    private static Thread ticker() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("ropewalk-ticker"))
                .reduce(
                        (one, other) -> {
                            throw new AssertionError("two tickers");
                        })
                .orElseThrow();
    }

    private static void awaitState(Thread.State state) {
        Runs.until(() -> ticker().getState() == state);
    }

    @Test
    void F2_tickerRunsOnlyWhileACordIsBusy() {
        Runs.real(() -> {});
        assertTrue(ticker().isDaemon());
        for (int i = 0; i < 3; i++) {
            // Parked without a limit.
            awaitState(Thread.State.WAITING);
            Runs.real(
                    () -> {
                        // Ticks while this fiber keeps its cord.
                        awaitState(Thread.State.TIMED_WAITING);
                    });
        }
    }

    @Test
    void F2_tickerSleepsBesideACordThatWaits() {
        Cord cord = Runs.started("idle", new Reports());
        cord.spin("sleeper", () -> Fiber.sleep(Duration.ofDays(1)));
        awaitState(Thread.State.WAITING);
        Runs.checkAndClose(cord);
    }
}
