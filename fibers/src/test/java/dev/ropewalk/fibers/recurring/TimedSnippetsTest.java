package dev.ropewalk.fibers.recurring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The code that the Javadoc and the guide show of loops, throttles and quiet times. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TimedSnippetsTest {
    private final List<String> log = new ArrayList<>();

    private void poll(String what) {
        log.add(what);
    }

    @Test
    void loops() {
        Runs.inAnyOrder(
                () -> {
                    log.clear();
                    // @start region="every"
                    // Every second, for ever, in a fiber of its own.
                    Fiber<?> heart =
                            Timed.spinEvery("heart", Duration.ofSeconds(1), () -> poll("beat"));

                    // Every minute in this fiber, ten times at most.
                    Timed.every(
                            Duration.ofMinutes(1),
                            repeat -> {
                                poll("minute " + repeat.number());
                                if (repeat.number() >= 10) {
                                    repeat.stop();
                                }
                            });
                    heart.terminate();

                    // Once, in an hour, unless it is terminated before.
                    Fiber<?> reminder = Timed.after(Duration.ofHours(1), () -> poll("remind"));
                    // @end
                    assertTrue(reminder.awaitEnd(Duration.ofHours(2)));
                    assertEquals(10, log.stream().filter(each -> each.startsWith("min")).count());
                    assertTrue(log.contains("remind") && log.contains("beat"));
                });
    }

    @Test
    void throttles() {
        Runs.inAnyOrder(
                () -> {
                    log.clear();
                    // @start region="throttle"
                    // Twenty calls a second among all fibers of this cord, five of them at once.
                    Throttle calls = Throttle.rate(20, Duration.ofSeconds(1)).withBurst(5);
                    Fiber<?> other = Fiber.spin(() -> calls.run(() -> poll("theirs")));
                    calls.run(() -> poll("ours"));

                    // A hundred rounds, one every 50 ms at most.
                    Timed.throttled(calls, 100, repeat -> poll("round " + repeat.number()));
                    // @end
                    assertTrue(other.awaitEnd(Duration.ofSeconds(1)));
                    assertEquals(102, log.size());
                });
    }

    // @start region="quiet"
    /** Saves a text when half a second has passed without another one. */
    final class Draft {
        private @Nullable Fiber<?> waiting;

        void typed(String text) {
            if (waiting != null) {
                waiting.terminate(); // the new text takes the place of one that still waits
            }
            waiting =
                    Timed.after(
                            Duration.ofMillis(500),
                            () -> {
                                waiting = null; // a save that has begun is not ended
                                poll(text);
                            });
        }
    }

    // @end

    @Test
    void savesWhatWasLastTypedOnceItIsQuiet() {
        Runs.inAnyOrder(
                () -> {
                    log.clear();
                    Draft draft = new Draft();
                    for (String text : List.of("r", "ro", "rop", "rope")) {
                        draft.typed(text);
                        Fiber.sleep(Duration.ofMillis(400));
                    }
                    assertEquals(List.of(), log);
                    Fiber.sleep(Duration.ofMillis(200));
                    assertEquals(List.of("rope"), log);
                    draft.typed("walk");
                    Fiber.sleep(Duration.ofMillis(600));
                    assertEquals(List.of("rope", "walk"), log);
                });
    }
}
