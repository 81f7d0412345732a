package dev.ropewalk.fibers.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Rule F9: circles of waits are told without a dump. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CordCyclesTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    @Test
    void F9_aCircleIsToldAsInADump() {
        TestCord.run(
                () -> {
                    assertEquals(List.of(), Cord.current().cycles(LIMIT));
                    Mutex pan = Mutex.local();
                    Mutex stove = Mutex.local();
                    Fiber<?> first = Fiber.spin("first", () -> pan.run(() -> take(stove)));
                    Fiber<?> second = Fiber.spin("second", () -> stove.run(() -> take(pan)));
                    Fiber.sleep(Duration.ofMillis(20));
                    List<String> cycles = Cord.current().cycles(LIMIT);
                    assertEquals(1, cycles.size(), cycles::toString);
                    assertTrue(cycles.getFirst().contains("first waits for second"));
                    assertTrue(cycles.getFirst().contains("second waits for first"));
                    assertEquals(Cord.current().dump().cycles(), cycles);
                    first.terminate();
                    second.terminate();
                });
    }

    private static void take(Mutex other) {
        Fiber.sleep(Duration.ofMillis(10));
        other.lock(Duration.ofMinutes(1)); // with a limit, or it would be refused
    }

    /** Trees as deep and as wide as the search has portions, of which the wide one changes. */
    @Test
    void F9_aCircleAmongManyFibersIsFoundWhileOthersEnd() throws InterruptedException {
        try (Cord cord = Cord.start("crowd")) {
            CountDownLatch begun = new CountDownLatch(2);
            cord.spin("deep", () -> spinBelow(1_200, begun));
            cord.spin("wide", () -> spinAndEnd(3_000, begun));
            begun.await();
            while (cord.cycles(Duration.ofSeconds(20)).isEmpty()) {
                Thread.onSpinWait(); // they lock later
            }
            for (int i = 0; i < 20; i++) {
                List<String> cycles = cord.cycles(Duration.ofSeconds(20));
                assertEquals(1, cycles.size(), cycles::toString);
                assertTrue(cycles.getFirst().contains("first waits for second"));
            }
        }
    }

    private static void spinBelow(int depth, CountDownLatch begun) {
        if (depth > 0) {
            Fiber.spin("below", () -> spinBelow(depth - 1, begun));
        } else {
            Mutex pan = Mutex.local();
            Mutex stove = Mutex.local();
            Fiber.spin("first", () -> pan.run(() -> take(stove)));
            Fiber.spin("second", () -> stove.run(() -> take(pan)));
            Fiber.sleep(Duration.ofMillis(20));
            begun.countDown();
        }
        Fiber.sleep(Duration.ofMinutes(10));
    }

    private static void spinAndEnd(int width, CountDownLatch begun) {
        for (int i = 0; i < width; i++) {
            Fiber.spin("waits", () -> Fiber.sleep(Duration.ofMinutes(10)));
        }
        begun.countDown();
        while (true) {
            for (int i = 0; i < 50; i++) {
                Fiber.spin("brief", () -> Fiber.snooze());
            }
            Fiber.snooze();
        }
    }

    @Test
    void F9_aCordThatDoesNotAnswerIsAnErrorAndOneThatHasEndedHasNone() throws InterruptedException {
        Cord cord = Cord.start("stuck");
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        try {
            cord.spin(
                    "sleeper",
                    () -> {
                        begun.countDown();
                        go.await();
                    });
            begun.await();
            Duration soon = Duration.ofMillis(50);
            assertThrows(FiberTimeoutException.class, () -> cord.cycles(soon));
        } finally {
            go.countDown();
            cord.close();
        }
        assertEquals(List.of(), cord.cycles(LIMIT));
    }
}
