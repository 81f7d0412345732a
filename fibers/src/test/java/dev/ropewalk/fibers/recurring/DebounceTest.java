package dev.ropewalk.fibers.recurring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.SleepTest;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Rule F5 for debounces: the action runs when it has become quiet, and no value is lost silently.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class DebounceTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FAR = Duration.ofDays(1);

    private static Duration tenths(long tenths) {
        return Duration.ofMillis(100 * tenths);
    }

    /** The runs of the action: the value, and the tenth of a second in which it ran. */
    private static final class Log {
        private final long startNs = Cord.current().nanoTime();
        private final List<String> lines = new ArrayList<>();

        void add(Object value) {
            lines.add(value + " " + (Cord.current().nanoTime() - startNs) / 100_000_000);
        }

        void assertLines(String... expected) {
            assertEquals(List.of(expected), lines);
        }
    }

    private static void triggerEach(Debounce<Object> debounce, Duration gap, int from, int to) {
        for (int i = from; i <= to; i++) {
            debounce.trigger(i);
            Fiber.sleep(gap);
        }
    }

    // ---------------------------------------------------------------- the end of a pending value

    @Test
    void F5_closeRunsTheActionWithWhatIsPendingAndWaitsForIt() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce =
                            Debounce.start(
                                    SECOND,
                                    value -> {
                                        Fiber.sleep(tenths(2));
                                        log.add(value);
                                    });
                    debounce.trigger("a");
                    debounce.trigger("b");
                    Fiber.sleep(tenths(5));
                    debounce.close();
                    log.assertLines("b 7");
                    debounce.close();
                    assertNull(debounce.cancel());
                    assertFalse(debounce.flush());
                    Fiber.sleep(FAR);
                    log.assertLines("b 7");
                });
    }

    @Test
    void F5_closeWithNothingPendingEndsItsFiber() {
        Runs.inAnyOrder(
                () -> {
                    try (Debounce<String> debounce = Debounce.start(SECOND, _ -> {})) {
                        assertFalse(debounce.flush());
                    }
                    assertNull(FiberImpl.current().firstChild());
                });
    }

    @Test
    void F5_cancelHandsBackWhatIsPending() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce = Debounce.start(SECOND, log::add);
                    debounce.trigger("a");
                    assertEquals("a", debounce.cancel());
                    assertNull(debounce.cancel());
                    debounce.close();
                    Fiber.sleep(FAR);
                    log.assertLines();
                });
    }

    @Test
    void F5_cancelTerminatesTheActionThatIsAtIt() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce =
                            Debounce.start(
                                    SECOND,
                                    value -> {
                                        log.add(value);
                                        Fiber.sleep(FAR);
                                    });
                    debounce.trigger("a");
                    Fiber.sleep(tenths(11));
                    debounce.trigger("b");
                    assertEquals("b", debounce.cancel());
                    Runs.settle();
                    assertNull(FiberImpl.current().firstChild());
                    log.assertLines("a 10");
                });
    }

    @Test
    void F5_valueThatIsPendingAsItsParentEndsIsReported() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () -> {
                    Fiber.spin(
                                    "owner",
                                    () -> {
                                        Debounce<String> debounce = Debounce.start(SECOND, _ -> {});
                                        debounce.trigger("precious");
                                    })
                            .await();
                    return 0;
                });
        String report = reports.only().failure().toString();
        assertTrue(report.contains("precious") && report.contains("close or cancel"), report);
    }

    @Test
    void F5_failureOfTheActionIsAChildsAndWhatIsPendingIsReported() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () -> {
                    List<Debounce<String>> made = new ArrayList<>();
                    Fiber<?> owner =
                            Fiber.spin(
                                    "owner",
                                    () -> {
                                        Debounce<String> debounce =
                                                Debounce.start(
                                                        DebounceOptions.quiet(SECOND)
                                                                .withName("saver"),
                                                        DebounceTest::failLater);
                                        made.add(debounce);
                                        debounce.trigger("a");
                                        Fiber.sleep(tenths(15));
                                        debounce.trigger("b");
                                        Fiber.sleep(FAR);
                                    });
                    Throwable thrown = Runs.failureOf(owner::await);
                    assertTrue(thrown.toString().contains("fiber saver"), thrown::toString);
                    Debounce<String> over = made.getFirst();
                    Throwable late = Runs.failureOf(() -> over.trigger("c"));
                    assertInstanceOf(IllegalStateException.class, late);
                    assertTrue(late.toString().contains("value=c was not taken"), late::toString);
                    assertEquals("bad a", Runs.cause(late).getMessage());
                    over.close();
                    assertNull(over.cancel());
                    return 0;
                });
        String report = reports.only().failure().toString();
        assertTrue(report.contains("not run with: b"), report);
    }

    private static void failLater(String value) {
        Fiber.sleep(SECOND);
        throw new IllegalArgumentException("bad " + value);
    }

    @Test
    void F5_failureDuringCloseIsTheClosers() {
        Runs.inAnyOrder(
                () -> {
                    Debounce<String> debounce = Debounce.start(SECOND, DebounceTest::failLater);
                    debounce.trigger("a");
                    Throwable thrown = assertThrows(FiberFailedException.class, debounce::close);
                    assertEquals("bad a", Runs.cause(thrown).getMessage());
                    debounce.close();
                    Fiber.sleep(SECOND);
                });
    }

    @Test
    void F6_closerThatIsCancelledWaitsNoLongerAndTheActionIsRunAllTheSame() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce =
                            Debounce.start(
                                    SECOND,
                                    value -> {
                                        Fiber.sleep(SECOND);
                                        log.add(value);
                                    });
                    debounce.trigger("a");
                    assertFalse(CancelScope.moveOnAfter(tenths(3), debounce::close));
                    log.assertLines();
                    debounce.close();
                    log.assertLines("a 10");
                });
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void misuse_triggerAfterTheEndIsAnError() {
        Runs.inAnyOrder(
                () -> {
                    Debounce<String> closed = Debounce.start(SECOND, _ -> {});
                    closed.close();
                    Debounce<String> cancelled = Debounce.start(SECOND, _ -> {});
                    cancelled.cancel();
                    for (Debounce<String> debounce : List.of(closed, cancelled)) {
                        Throwable thrown = Runs.failureOf(() -> debounce.trigger("late"));
                        assertInstanceOf(IllegalStateException.class, thrown);
                        assertTrue(
                                thrown.toString().contains("closed; value=late was not taken"),
                                thrown::toString);
                    }
                });
    }

    @Test
    void misuse_anotherCordCannotUseIt() {
        Reports reports = new Reports();
        Cord other = Runs.started("other", reports);
        Runs.real(
                reports,
                () -> {
                    Debounce<String> debounce = Debounce.start(FAR, _ -> {});
                    for (Action use :
                            List.<Action>of(
                                    () -> debounce.trigger("x"),
                                    debounce::flush,
                                    debounce::close,
                                    debounce::cancel)) {
                        Throwable thrown = Runs.onCord(other, () -> Runs.failureOf(use));
                        assertInstanceOf(WrongThreadException.class, thrown);
                        assertTrue(thrown.toString().contains("cord real"), thrown::toString);
                    }
                    assertFalse(debounce.flush());
                    debounce.close();
                });
        Runs.checkAndClose(other);
        reports.assertNone();
        assertThrows(IllegalStateException.class, () -> Debounce.start(FAR, _ -> {}));
    }

    @Test
    void misuse_actionThatWouldWaitForItself() {
        Runs.inAnyOrder(
                () -> {
                    List<Debounce<String>> made = new ArrayList<>();
                    List<Throwable> thrown = new ArrayList<>();
                    Debounce<String> debounce =
                            Debounce.start(
                                    SECOND,
                                    _ -> {
                                        thrown.add(Runs.failureOf(made.getFirst()::flush));
                                        thrown.add(Runs.failureOf(made.getFirst()::close));
                                    });
                    made.add(debounce);
                    debounce.trigger("x");
                    debounce.close();
                    assertEquals(2, thrown.size());
                    for (Throwable each : thrown) {
                        assertInstanceOf(IllegalStateException.class, each);
                        assertTrue(each.toString().contains("wait for itself"), each::toString);
                    }
                });
    }

    @Test
    void misuse_longestWaitShorterThanQuiet() {
        DebounceOptions options = DebounceOptions.quiet(SECOND);
        assertThrows(IllegalArgumentException.class, () -> options.withLongestWait(tenths(9)));
        assertEquals(SECOND, options.withLongestWait(SECOND).longestWait());
    }

    // ---------------------------------------------------------------- when it runs

    @Test
    void F2_runsOnceAfterTheLastTriggerWithItsValue() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce = Debounce.start(SECOND, log::add);
                    triggerEach(debounce, tenths(9), 1, 4);
                    Fiber.sleep(tenths(2));
                    log.assertLines("4 37");
                    debounce.trigger(5);
                    Fiber.sleep(FAR);
                    log.assertLines("4 37", "5 48");
                    debounce.close();
                });
    }

    @Test
    void F2_onRealTimeNeverBeforeItIsQuiet() {
        Runs.real(
                () -> {
                    Cord cord = Cord.current();
                    List<Long> runs = new ArrayList<>();
                    Debounce<Integer> debounce =
                            Debounce.start(
                                    Duration.ofMillis(2), value -> runs.add(cord.nanoTime()));
                    debounce.trigger(1);
                    SleepTest.busy(Duration.ofMillis(3));
                    long lastNs = cord.nanoTime();
                    debounce.trigger(2); // the first has had no chance to run
                    while (runs.isEmpty()) {
                        Fiber.sleep(Duration.ofMillis(1));
                    }
                    assertTrue(runs.getFirst() - lastNs >= 2_000_000);
                    debounce.close();
                    assertEquals(1, runs.size());
                });
    }

    @Test
    void F2_aStreamOfTriggersCannotPutItOffForEver() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce =
                            Debounce.start(
                                    DebounceOptions.quiet(SECOND).withLongestWait(tenths(25)),
                                    log::add);
                    triggerEach(debounce, tenths(9), 0, 6);
                    debounce.close();
                    // From the first it has not seen: 0 at 0, then 3 at 27.
                    log.assertLines("2 25", "5 52", "6 63");
                });
    }

    @Test
    void F2_leadingRunsAtOnceAndTheLastOfThoseThatFollowIsNotMissed() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce =
                            Debounce.start(DebounceOptions.quiet(SECOND).withLeading(), log::add);
                    triggerEach(debounce, tenths(5), 1, 3);
                    log.assertLines("1 0");
                    Fiber.sleep(tenths(30));
                    log.assertLines("1 0", "3 20");
                    debounce.trigger(4);
                    Fiber.sleep(FAR);
                    log.assertLines("1 0", "3 20", "4 45");
                    debounce.close();
                });
    }

    @Test
    void F2_triggerDuringARunCountsForTheNext() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce =
                            Debounce.start(
                                    SECOND,
                                    value -> {
                                        log.add(value);
                                        Fiber.sleep(tenths(25));
                                    });
                    debounce.trigger("a");
                    Fiber.sleep(tenths(12));
                    debounce.trigger("b");
                    Fiber.sleep(tenths(2));
                    debounce.trigger("c");
                    Fiber.sleep(tenths(22));
                    debounce.trigger("d");
                    Fiber.sleep(FAR);
                    log.assertLines("a 10", "c 35", "d 60");
                    debounce.close();
                });
    }

    @Test
    void F2_flushRunsItNowAndWaitsForWhatWasTriggeredBefore() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce =
                            Debounce.start(
                                    SECOND,
                                    value -> {
                                        Fiber.sleep(tenths(4));
                                        log.add(value);
                                    });
                    debounce.trigger("a");
                    assertTrue(debounce.flush());
                    log.assertLines("a 4");
                    assertFalse(debounce.flush());
                    debounce.trigger("b");
                    Timed.after(tenths(2), () -> debounce.trigger("c"));
                    assertTrue(debounce.flush());
                    log.assertLines("a 4", "b 8"); // c came later
                    assertTrue(debounce.flush());
                    log.assertLines("a 4", "b 8", "c 12");
                    Fiber.sleep(FAR);
                    log.assertLines("a 4", "b 8", "c 12");
                    debounce.close();
                });
    }

    @Test
    void F6_flushOfAnActionThatEndsOtherwiseDoesNotHang() {
        Runs.inAnyOrder(
                () -> {
                    Debounce<String> debounce = Debounce.start(SECOND, _ -> Fiber.sleep(FAR));
                    debounce.trigger("a");
                    Timed.after(SECOND, debounce::cancel);
                    assertThrows(FiberTerminatedException.class, debounce::flush);
                });
    }

    @Test
    void F6_flusherThatIsCancelledLeavesTheActionAlone() {
        Runs.inAnyOrder(
                () -> {
                    Log log = new Log();
                    Debounce<Object> debounce =
                            Debounce.start(
                                    SECOND,
                                    value -> {
                                        Fiber.sleep(SECOND);
                                        log.add(value);
                                    });
                    debounce.trigger("a");
                    boolean inTime =
                            CancelScope.moveOnAfter(tenths(3), false, () -> debounce.flush());
                    assertFalse(inTime);
                    Fiber.sleep(SECOND);
                    log.assertLines("a 10");
                    debounce.close();
                });
    }

    /** It triggers itself, and takes longer than the quiet time without ever waiting. */
    @Test
    void F6_actionThatKeepsItselfGoingCanBeTerminated() {
        Runs.real(
                () -> {
                    List<Debounce<String>> made = new ArrayList<>();
                    int[] runs = {0};
                    Debounce<String> debounce =
                            Debounce.start(
                                    Duration.ofNanos(1),
                                    value -> {
                                        made.getFirst().trigger(value);
                                        SleepTest.busy(Duration.ofNanos(1_000));
                                        runs[0]++;
                                    });
                    made.add(debounce);
                    debounce.trigger("x");
                    while (runs[0] < 100) {
                        Fiber.snooze();
                    }
                    assertEquals("x", debounce.cancel());
                });
    }

    // ---------------------------------------------------------------- at random

    /** Each value is run with, replaced by a later one that is, handed back, or reported. */
    private static void playAtRandom(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        DebounceOptions options =
                DebounceOptions.quiet(tenths(1 + random.nextInt(5)))
                        .withLongestWait(tenths(6 + random.nextInt(10)));
        if (random.nextBoolean()) {
            options = options.withLeading();
        }
        List<Integer> runs = new ArrayList<>();
        long[] triggered = new long[50];
        long longestNs = options.longestWait().toNanos();
        Debounce<Integer> debounce =
                Debounce.start(
                        options,
                        value -> {
                            long firstUnseen = runs.isEmpty() ? 0 : runs.getLast() + 1;
                            long waitedNs =
                                    Cord.current().nanoTime() - triggered[(int) firstUnseen];
                            assertTrue(waitedNs <= longestNs, "waited=" + waitedNs);
                            runs.add(value);
                        });
        for (int i = 0; i < triggered.length; i++) {
            triggered[i] = Cord.current().nanoTime();
            debounce.trigger(i);
            if (random.nextInt(20) == 0) {
                debounce.flush();
                assertEquals(i, runs.getLast(), "seed=" + seed);
            }
            Fiber.sleep(Duration.ofMillis(random.nextInt(700)));
        }
        int last = triggered.length - 1;
        if (random.nextBoolean()) {
            debounce.close();
            assertEquals(last, runs.getLast(), "seed=" + seed);
        } else {
            Integer left = debounce.cancel();
            assertEquals(last, Objects.requireNonNullElse(left, runs.getLast()), "seed=" + seed);
        }
        for (int i = 1; i < runs.size(); i++) {
            assertTrue(runs.get(i - 1) < runs.get(i), "seed=" + seed + " runs=" + runs);
        }
    }

    @Test
    void F5_conservation() {
        Runs.inAnyOrder(() -> playAtRandom(Cord.current().nextInt(1_000_000)));
    }

    @Test
    @Tag("stress")
    void F5_conservationUnderManySeeds() {
        for (long seed = 0; seed < 2_000; seed++) {
            long each = seed;
            TestCord.run(each, true, () -> playAtRandom(each));
        }
    }
}
