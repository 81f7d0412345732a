package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Rule F2: sleeps and time limits are exact, in order, and never early. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
public class SleepTest {
    @Test
    void F2_sleepLastsExactlyWhenNothingElseRuns() {
        Runs.inAnyOrder(
                () -> {
                    for (Duration time : List.of(Duration.ofNanos(1), Duration.ofDays(10_000))) {
                        long before = Cord.current().nanoTime();
                        Fiber.sleep(time);
                        assertEquals(time.toNanos(), Cord.current().nanoTime() - before);
                    }
                });
    }

    @Test
    void F2_sleepersWakeInTheOrderOfTheirDeadlines() {
        Runs.inAnyOrder(
                () -> {
                    List<Integer> log = new ArrayList<>();
                    for (int ms : new int[] {30, 10, 50, 20, 40}) {
                        Fiber.spin(
                                () -> {
                                    Fiber.sleep(Duration.ofMillis(ms));
                                    log.add(ms);
                                });
                    }
                    Fiber.sleep(Duration.ofMillis(51));
                    assertEquals(List.of(10, 20, 30, 40, 50), log);
                });
    }

    @Test
    void F2_equalDeadlinesWakeInTheOrderArmed() {
        Runs.fifo(
                () -> {
                    List<Integer> log = new ArrayList<>();
                    for (int i = 0; i < 200; i++) {
                        int index = i;
                        Fiber.spin(
                                () -> {
                                    Fiber.sleep(Duration.ofSeconds(1));
                                    log.add(index);
                                });
                    }
                    Fiber.sleep(Duration.ofSeconds(2));
                    assertEquals(IntStream.range(0, 200).boxed().toList(), log);
                });
    }

    @Test
    void F2_noTimeIsASnooze() {
        Runs.fifo(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber.spin(() -> log.add("other"));
                    long before = Cord.current().nanoTime();
                    Fiber.sleep(Duration.ZERO);
                    assertEquals(before, Cord.current().nanoTime());
                    assertEquals(List.of("other"), log);
                });
    }

    @Test
    void F2_negativeOrOverflowingTimeIsAnError() {
        Runs.fifo(
                () -> {
                    for (Duration time :
                            List.of(
                                    Duration.ofNanos(-1),
                                    Duration.ofSeconds(Long.MIN_VALUE),
                                    Duration.ofSeconds(Long.MAX_VALUE))) {
                        Throwable thrown = Runs.failureOf(() -> Fiber.sleep(time));
                        assertTrue(thrown instanceof IllegalArgumentException, thrown::toString);
                        assertTrue(thrown.toString().contains("time=" + time), thrown::toString);
                    }
                });
    }

    @Test
    void F2_waitWithoutTimeLeftTimesOutAfterOneTurn() {
        Runs.fifo(
                () -> {
                    for (long limit : new long[] {0, -1, Long.MIN_VALUE}) {
                        List<String> log = new ArrayList<>();
                        Fiber.spin(() -> log.add("other"));
                        assertSame(Waits.TIMED_OUT, Waits.park("nothing", limit));
                        assertEquals(List.of("other"), log);
                    }
                });
    }

    @Test
    void F2_sleepBeyondAllBoundsCanStillBeEnded() {
        Runs.inAnyOrder(
                () -> {
                    for (Duration time :
                            List.of(Waits.FOREVER, Duration.ofNanos(Long.MAX_VALUE - 1))) {
                        Fiber<?> sleeper = Fiber.spin(() -> Fiber.sleep(time));
                        Fiber.sleep(Duration.ofDays(10_000));
                        assertEquals(FiberState.WAITING, sleeper.state());
                        sleeper.terminate();
                        assertTrue(
                                Runs.failureOf(sleeper::await) instanceof FiberTerminatedException);
                    }
                });
    }

    /** Two of the systems we follow took the loop's cached time, and fired at once. */
    @Test
    void F2_neverEarlyAfterABusyStretch() {
        Runs.real(
                () -> {
                    Cord cord = Cord.current();
                    Fiber.sleep(Duration.ofMillis(1));
                    busy(Duration.ofMillis(30));
                    long beforeSleep = cord.nanoTime();
                    Fiber.sleep(Duration.ofMillis(10));
                    assertTrue(cord.nanoTime() - beforeSleep >= 10_000_000);
                    busy(Duration.ofMillis(30));
                    long beforePark = cord.nanoTime();
                    assertSame(Waits.TIMED_OUT, Waits.park("nothing", 10_000_000));
                    assertTrue(cord.nanoTime() - beforePark >= 10_000_000);
                });
    }

    /** A slow machine may leave the block by its limit, but not before that. */
    @Test
    void F2_limitAfterABusyStretchDoesNotPassEarly() {
        Duration limit = Duration.ofMillis(40);
        Duration sleep = Duration.ofMillis(20);
        Runs.real(
                () -> {
                    Cord cord = Cord.current();
                    Fiber.sleep(Duration.ofMillis(1));
                    busy(Duration.ofMillis(50));
                    long before = cord.nanoTime();
                    boolean done = CancelScope.moveOnAfter(limit, () -> Fiber.sleep(sleep));
                    long took = cord.nanoTime() - before;
                    long least = done ? sleep.toNanos() : limit.toNanos();
                    assertTrue(took >= least, () -> "done=" + done + " after " + took + " ns");
                });
    }

    /**
     * Where Tarantool rounds each sleep up to a millisecond. The best of many, for slow machines.
     */
    @Test
    void F2_sleepsOfAMicrosecondAreNotRoundedUp() {
        Runs.real(
                () -> {
                    Cord cord = Cord.current();
                    int sleeps = 20;
                    long best = Long.MAX_VALUE;
                    for (int batch = 0; batch < 50; batch++) {
                        long before = cord.nanoTime();
                        for (int i = 0; i < sleeps; i++) {
                            Fiber.sleep(Duration.ofNanos(1_000));
                        }
                        best = Math.min(best, cord.nanoTime() - before);
                    }
                    long took = best;
                    assertTrue(
                            took < sleeps * 500_000L,
                            () -> sleeps + " sleeps of 1 us took " + took + " ns");
                });
    }

    @Test
    void F2_neverEarlyBesideManyOthers() {
        Runs.real(
                () -> {
                    List<Fiber<Long>> sleepers = new ArrayList<>();
                    for (int i = 0; i < 1_000; i++) {
                        long limitNs = 1_000L * (i % 100);
                        sleepers.add(
                                Fiber.spin(
                                        () -> {
                                            long before = Cord.current().nanoTime();
                                            Waits.park("nothing", limitNs);
                                            return Cord.current().nanoTime() - before - limitNs;
                                        }));
                    }
                    for (Fiber<Long> sleeper : sleepers) {
                        assertTrue(sleeper.await() >= 0);
                    }
                });
    }

    public static void busy(Duration time) {
        Cord cord = Cord.current();
        long start = cord.nanoTime();
        while (cord.nanoTime() - start < time.toNanos()) {
            Thread.onSpinWait();
        }
    }
}
