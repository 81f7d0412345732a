package dev.ropewalk.fibers.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.sync.Mutex;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;

/** The code that the guide shows of tests. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TestingSnippetsTest {
    private static String ask(Duration time) {
        Fiber.sleep(time);
        return "answer";
    }

    @Test
    void oneCord() {
        // @start region="cord"
        TestCord.run(
                () -> {
                    Fiber<String> slow = Fiber.spin(() -> ask(Duration.ofDays(2)));
                    boolean inTime = slow.awaitEnd(Duration.ofDays(1)); // takes no time
                    assertEquals(false, inTime);
                    assertEquals("answer", slow.await());
                });
        // @end
    }

    @Test
    void severalCords() {
        // @start region="cords"
        TestCords.run(
                3,
                cords -> {
                    Mutex mutex = Mutex.shared();
                    int[] count = new int[1];
                    for (Cord each : cords) {
                        each.spin("adds", () -> mutex.run(() -> count[0]++));
                    }
                    Fiber.sleep(Duration.ofSeconds(1)); // until all the others wait or have ended
                    assertEquals(3, count[0]);
                });
        // @end
    }

    @Test
    void machines() {
        // @start region="machines"
        TestCords.run(
                2,
                cords -> {
                    VirtualCords run = VirtualCords.current();
                    Cord node = cords.get(1);
                    Fiber<String> answer = node.spin("answers", () -> ask(Duration.ofMillis(100)));
                    run.freeze(node, Duration.ofSeconds(4));
                    assertEquals(false, answer.awaitEnd(Duration.ofSeconds(3))); // a limit passes
                    assertEquals("answer", answer.await()); // at 4 s, when the timer is overdue

                    run.kill(node); // no finally runs
                    Cord again = run.start("node-again");
                    run.clockRate(again, 1.01); // 10 ms a second too fast
                    assertEquals("answer", again.spin("answers", () -> ask(Duration.ZERO)).await());
                });
        // @end
    }

    @Test
    void failures() {
        AssertionError failed = null;
        try {
            TestCord.run(42, true, () -> assertEquals(1, 2));
        } catch (AssertionError e) {
            failed = e;
        }
        assertTrue(String.valueOf(failed).contains("-Dropewalk.seed=42"));
    }
}
