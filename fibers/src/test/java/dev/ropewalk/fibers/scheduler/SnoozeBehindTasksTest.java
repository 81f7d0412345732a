package dev.ropewalk.fibers.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A fiber that yields on a scheduler's cord does so to the tasks that wait there too. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SnoozeBehindTasksTest {
    private static final Duration FAR = Duration.ofSeconds(20);

    private interface Body {
        void run(Scheduler scheduler) throws Exception;
    }

    /** On one cord: the body is a task, and so are those that it places. */
    private static void runAsTask(StackKind stacks, Body body) {
        onCords(stacks, 1, scheduler -> scheduler.spin(() -> body.run(scheduler)).await());
    }

    /** The body runs elsewhere. */
    private static void onCords(StackKind stacks, int cords, Body body) {
        Reports reports = new Reports();
        Scheduler scheduler = Runs.scheduler(stacks, cords, reports);
        try {
            Cord.run(() -> body.run(scheduler));
        } finally {
            ShutdownReport report = scheduler.shutdown(FAR);
            assertTrue(report.isClean(), report::toString);
        }
        reports.assertNone();
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F15_tasksThatWaitGoFirstAndLaterOnesDoNot(StackKind stacks) {
        List<String> order = new ArrayList<>();
        runAsTask(
                stacks,
                scheduler -> {
                    scheduler.execute(() -> order.add("first"));
                    scheduler.execute(
                            () -> {
                                order.add("second");
                                scheduler.execute(() -> order.add("later"));
                            });
                    Fiber.snooze();
                    order.add("snoozer");
                });
        assertEquals(List.of("first", "second", "snoozer", "later"), order);
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F15_whoPlacesTasksAndSnoozesHasNoneInTheLineAfterIt(StackKind stacks) {
        int bursts = 50;
        int burst = 300; // more than there are switches between two looks
        AtomicInteger done = new AtomicInteger();
        runAsTask(
                stacks,
                scheduler -> {
                    for (int i = 1; i <= bursts; i++) {
                        for (int j = 0; j < burst; j++) {
                            scheduler.execute(done::incrementAndGet);
                        }
                        Fiber.snooze();
                        assertEquals(i * burst, done.get());
                    }
                });
    }

    /** A throttle's limit, or an actor between two messages, is not the tasks' business. */
    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F15_whatTheLibraryGivesWayForIsFibersAlone(StackKind stacks) {
        List<String> order = new ArrayList<>();
        runAsTask(
                stacks,
                scheduler -> {
                    Fiber.spin(() -> order.add("fiber"));
                    scheduler.execute(() -> order.add("task"));
                    Waits.yieldTurn();
                    order.add("giver");
                    Fiber.snooze();
                });
        assertEquals(List.of("fiber", "giver", "task"), order);
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F15_fibersOfTheCordGoFirstToo(StackKind stacks) {
        List<String> order = new ArrayList<>();
        runAsTask(
                stacks,
                scheduler -> {
                    Fiber.spin(() -> order.add("fiber"));
                    scheduler.execute(() -> order.add("task"));
                    Fiber.snooze();
                    order.add("snoozer");
                });
        assertEquals(List.of("fiber", "task", "snoozer"), order);
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F6_whoIsCancelledInTheLineLeavesItAndIsNotWokenByWhatIsLeftOfIt(StackKind stacks) {
        List<String> order = new ArrayList<>();
        runAsTask(
                stacks,
                scheduler -> {
                    Fiber<?> me = Fiber.current();
                    scheduler.execute(
                            () -> {
                                order.add("raises");
                                me.raise(new IllegalStateException("enough"));
                            });
                    scheduler.execute(() -> order.add("second"));
                    assertThrows(IllegalStateException.class, Fiber::snooze);
                    order.add("raised");
                    scheduler.execute(() -> me.schedule("given"));
                    order.add(String.valueOf(Fiber.suspend())); // its entry comes before that task
                });
        assertEquals(List.of("raises", "raised", "second", "given"), order);
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F6_whoIsShieldedInTheLineGoesOnWhenItsCordTakesNoTasksAnyMore(StackKind stacks) {
        List<String> order = new ArrayList<>();
        Scheduler scheduler =
                Scheduler.start(
                        SchedulerOptions.named("workers")
                                .withCords(0)
                                .withCord(
                                        CordOptions.named("c")
                                                .withStacks(stacks)
                                                .withStopLimit(FAR)));
        scheduler.bind(
                () -> {
                    Fiber.spin(
                            () ->
                                    CancelScope.shielded(
                                            FAR,
                                            () -> {
                                                Fiber.snooze();
                                                order.add("child");
                                            }));
                    scheduler.execute(() -> order.add("task"));
                    Fiber.snooze();
                    order.add("body");
                });
        assertEquals(List.of("task", "body", "child"), order);
        assertTrue(scheduler.shutdown(FAR).isClean());
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F15_whoeverTakesAnEntryOfTheLineTheFiberHasItsTurn(StackKind stacks) {
        int producers = 4;
        int bursts = 500;
        int burst = 3;
        AtomicInteger done = new AtomicInteger();
        onCords(
                stacks,
                2,
                scheduler -> {
                    List<Fiber<?>> all = new ArrayList<>();
                    IntStream.range(0, producers)
                            .forEach(
                                    _ ->
                                            all.add(
                                                    scheduler.spin(
                                                            () ->
                                                                    produce(
                                                                            scheduler, done, bursts,
                                                                            burst))));
                    Fiber.awaitAll(all);
                });
        assertEquals(producers * bursts * burst, done.get());
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F15_whenTheTasksAreGoneWhoSnoozesHasItsShareAgain(StackKind stacks) {
        int turns = 10_000;
        AtomicInteger snoozes = new AtomicInteger();
        runAsTask(
                stacks,
                scheduler -> {
                    List<Fiber<?>> snoozers = new ArrayList<>();
                    for (int i = 0; i < 2; i++) {
                        snoozers.add(
                                Fiber.spin(
                                        () -> {
                                            for (; ; ) {
                                                Fiber.snooze();
                                                snoozes.incrementAndGet();
                                            }
                                        }));
                    }
                    Fiber<?> me = Fiber.current();
                    Fiber<?> partner =
                            Fiber.spin(
                                    () -> {
                                        for (int i = 0; i < turns; i++) {
                                            Fiber.suspend();
                                            me.schedule(null);
                                        }
                                    });
                    Fiber.snooze();
                    scheduler.execute(() -> {});
                    for (int i = 0; i < turns; i++) { // the two wake each other
                        partner.schedule(null);
                        Fiber.suspend();
                    }
                    snoozers.forEach(Fiber::terminate);
                });
        assertTrue(snoozes.get() > turns, snoozes::toString);
    }

    /** As by a task that is claimed before its turn: what is left of it in the line is nobody's. */
    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F4_theEntryOfATaskThatWasClaimedAtOnceEndsNoSnooze(StackKind stacks) {
        List<String> order = new ArrayList<>();
        runAsTask(
                stacks,
                scheduler -> {
                    Fiber<?> claimed =
                            scheduler.spin(
                                    () -> {
                                        scheduler.execute(() -> order.add("task"));
                                        Fiber.snooze();
                                        order.add("claimed");
                                    });
                    claimed.detach(); // for that it is started now
                    claimed.await();
                });
        assertEquals(List.of("task", "claimed"), order);
    }

    /** Its class initialiser snoozes, which pins the stack, while a task waits. */
    private static final class Pinned {
        static boolean wasTaskRun;

        static {
            Scheduler scheduler = Objects.requireNonNull(Scheduler.currentOrNull());
            scheduler.execute(() -> wasTaskRun = true);
            assertThrows(StackPinnedException.class, Fiber::snooze);
        }
    }

    @Tag("needs-flags")
    @Test
    void F11_onAPinnedStackItFailsIfATaskWaits() {
        runAsTask(
                StackKind.LIGHT,
                _ -> {
                    assertFalse(Pinned.wasTaskRun);
                    Fiber.snooze();
                    assertTrue(Pinned.wasTaskRun);
                });
    }

    private static void produce(Scheduler scheduler, AtomicInteger done, int bursts, int burst) {
        for (int i = 0; i < bursts; i++) {
            for (int j = 0; j < burst; j++) {
                scheduler.execute(done::incrementAndGet);
            }
            Fiber.snooze();
        }
    }
}
