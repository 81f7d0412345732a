package dev.ropewalk.fibers.io.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Rule I2: one limit on silence tells each of many that was silent for so long. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SilenceLimitTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Who was told, and when: names with whole seconds. */
    private final List<String> told = new ArrayList<>();

    private long beganNs;

    /** Notes that it was silent. */
    private final class Noting extends SilenceLimit.Watched {
        private final String name;

        Noting(String name) {
            this.name = name;
        }

        @Override
        protected void silent() {
            told.add(name + Duration.ofNanos(Cord.current().nanoTime() - beganNs).toSeconds());
        }
    }

    private void within(Duration limit, Consumer<SilenceLimit> body) {
        TestCord.run(
                1,
                false,
                () -> {
                    beganNs = Cord.current().nanoTime();
                    body.accept(new SilenceLimit(limit.toNanos()));
                });
    }

    @Test
    void I2_eachIsToldOnceInTheOrderOfTheirSilence() {
        within(
                LIMIT,
                silence -> {
                    for (String each : List.of("a", "b", "c")) {
                        silence.begin(new Noting(each));
                        Fiber.sleep(SECOND);
                    }
                    assertEquals(3, silence.count());
                    Fiber.sleep(LIMIT.multipliedBy(5));
                    assertEquals(List.of("a10", "b11", "c12"), told);
                    assertEquals(0, silence.count());
                });
    }

    @Test
    void I2_whoBeganAtOnceIsToldAtOnceInOrder() {
        within(
                LIMIT,
                silence -> {
                    for (String each : List.of("a", "b", "c")) {
                        silence.begin(new Noting(each));
                    }
                    Fiber.sleep(LIMIT.multipliedBy(5));
                    assertEquals(List.of("a10", "b10", "c10"), told);
                });
    }

    @Test
    void I2_aNewBeginIsTheLastInTheRing() {
        within(
                LIMIT,
                silence -> {
                    Noting first = new Noting("a");
                    silence.begin(first);
                    Fiber.sleep(SECOND);
                    silence.begin(new Noting("b"));
                    Fiber.sleep(SECOND);
                    silence.begin(first);
                    assertEquals(2, silence.count());
                    Fiber.sleep(LIMIT.multipliedBy(5));
                    assertEquals(List.of("b11", "a12"), told);
                });
    }

    @Test
    void I2_whoIsRemovedIsNotTold() {
        within(
                LIMIT,
                silence -> {
                    List<Noting> all = new ArrayList<>();
                    for (String each : List.of("a", "b", "c", "d", "e")) {
                        all.add(new Noting(each));
                        silence.begin(all.getLast());
                        Fiber.sleep(SECOND);
                    }
                    for (int each : List.of(2, 0, 4)) { // in the middle, the first, the last
                        silence.end(all.get(each));
                        silence.end(all.get(each)); // no effect
                    }
                    assertEquals(2, silence.count());
                    Fiber.sleep(LIMIT.multipliedBy(5));
                    assertEquals(List.of("b11", "d13"), told);
                    all.forEach(silence::end); // no effect
                    assertEquals(0, silence.count());
                });
    }

    @Test
    void I2_anEmptyRingBeginsAnew() {
        within(
                LIMIT,
                silence -> {
                    Noting one = new Noting("a");
                    silence.begin(one);
                    silence.end(one);
                    assertEquals(0, silence.count());
                    Fiber.sleep(LIMIT.multipliedBy(2)); // its alarm has nobody to tell
                    silence.begin(one);
                    Fiber.sleep(LIMIT.multipliedBy(2));
                    silence.begin(one); // was told, and is watched again
                    Fiber.sleep(LIMIT.multipliedBy(2));
                    assertEquals(List.of("a30", "a50"), told);
                    assertEquals(0, silence.count());
                });
    }

    @Test
    void I2_aLimitOfZeroIsOverAtOnce() {
        within(
                Duration.ZERO,
                silence -> {
                    silence.begin(new Noting("a"));
                    silence.begin(new Noting("b"));
                    assertEquals(List.of(), told, "not within begin");
                    assertEquals(2, silence.count());
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals(List.of("a0", "b0"), told);
                    assertEquals(0, silence.count());
                });
    }

    @Test
    void I2_noLimitWatchesNobody() {
        within(
                Duration.ofNanos(Long.MAX_VALUE),
                silence -> {
                    Noting one = new Noting("a");
                    silence.begin(one);
                    assertEquals(0, silence.count());
                    Fiber.sleep(Duration.ofDays(1_000));
                    silence.end(one);
                    assertEquals(List.of(), told);
                });
    }

    @Test
    void I2_whoIsToldEndsAndBeginsOthers() {
        within(
                LIMIT,
                silence -> {
                    Noting next = new Noting("next");
                    Noting late = new Noting("late");
                    silence.begin(
                            new SilenceLimit.Watched() {
                                @Override
                                protected void silent() {
                                    silence.end(next);
                                    silence.begin(late);
                                }
                            });
                    silence.begin(next);
                    Fiber.sleep(LIMIT.multipliedBy(5));
                    assertEquals(List.of("late20"), told);
                    assertEquals(0, silence.count());
                });
    }

    /** They stand in the ring still, and nobody is told of anything. */
    @Test
    void I2_aCordThatEndsTellsNobody() {
        SilenceLimit[] left = {null};
        within(
                LIMIT,
                silence -> {
                    left[0] = silence;
                    silence.begin(new Noting("a"));
                    Fiber.sleep(SECOND);
                    silence.begin(new Noting("b"));
                    Fiber.sleep(LIMIT.minus(SECOND.multipliedBy(2)));
                });
        assertEquals(List.of(), told);
        assertEquals(2, left[0].count());
    }

    /** Against a plain table of who began when. */
    @Test
    void I2_randomBeginsAndEnds() {
        SplittableRandom random = new SplittableRandom(1);
        within(
                LIMIT,
                silence -> {
                    Map<String, Long> since = new HashMap<>();
                    List<SilenceLimit.Watched> all = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        all.add(checking(since, String.valueOf(i)));
                    }
                    for (int i = 0; i < 2_000; i++) {
                        int at = random.nextInt(all.size());
                        if (random.nextInt(3) == 0) {
                            silence.end(all.get(at));
                            since.remove(String.valueOf(at));
                        } else {
                            silence.begin(all.get(at));
                            since.put(String.valueOf(at), Cord.current().nanoTime());
                        }
                        assertEquals(since.size(), silence.count());
                        Fiber.sleep(Duration.ofMillis(random.nextInt(4_000)));
                    }
                    Fiber.sleep(LIMIT);
                    assertEquals(Map.of(), since);
                    assertEquals(0, silence.count());
                });
    }

    private static SilenceLimit.Watched checking(Map<String, Long> since, String name) {
        return new SilenceLimit.Watched() {
            @Override
            protected void silent() {
                long beganNs = Objects.requireNonNull(since.remove(name), name);
                long forNs = Cord.current().nanoTime() - beganNs;
                assertEquals(LIMIT.toNanos(), forNs, name);
            }
        };
    }
}
