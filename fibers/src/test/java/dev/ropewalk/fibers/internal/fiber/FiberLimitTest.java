package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.coroutine.Generator;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.recurring.Timed;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.supervision.FiberSupervision;
import dev.ropewalk.fibers.supervision.FiberSupervisor;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;

/** A cord that may have so many fibers and no more: the next one fails at once. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberLimitTest {
    private static final int MOST = 3;
    private static final int STEPS = 400;
    private static final int MANY_SEEDS = 300;

    private static final FiberSupervision RULES =
            FiberSupervision.restarting(RestartRule.TRANSIENT);

    private final Reports reports = new Reports();

    private CordOptions options(String name) {
        return CordOptions.named(name).withUncaught(reports).withMaxFibers(MOST);
    }

    private void onVirtualCord(Action body) {
        Cord.<@Nullable Object>run(
                Runs.virtualOptions(reports).withMaxFibers(MOST),
                () -> {
                    body.run();
                    CordImpl.current().checkInvariants();
                    return null;
                });
    }

    private static List<Fiber<?>> fill() {
        List<Fiber<?>> all = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            all.add(Fiber.spin("filler " + i, () -> Fiber.suspend()));
        }
        return all;
    }

    private static void end(List<Fiber<?>> fibers) {
        fibers.forEach(Fiber::terminate);
        fibers.forEach(each -> each.awaitEnd(Duration.ofSeconds(5)));
    }

    private static void assertFull(Throwable thrown, String who) {
        assertTrue(thrown instanceof TooManyFibersException, thrown::toString);
        String text = String.valueOf(thrown.getMessage());
        for (String part : List.of(who, "has 3 fibers", "maxFibers=3", "withMaxFibers")) {
            assertTrue(text.contains(part), text);
        }
    }

    @Test
    void misuse_spinBeyondTheLimitFailsAtOnceAndLeavesNothing() {
        onVirtualCord(
                () -> {
                    List<Fiber<?>> all = fill();
                    for (int i = 0; i < 2; i++) {
                        Throwable full = Runs.failureOf(() -> Fiber.spin("late", () -> 1));
                        assertFull(full, "fiber late on cord virtual was not started");
                    }
                    assertEquals(1 + MOST, CordImpl.current().roster.fibers().size());
                    Fiber.snooze();
                    end(all);
                    assertEquals("fine", Fiber.spin(() -> "fine").await());
                });
        reports.assertNone();
    }

    @Test
    void misuse_everyWayToSpinIsCounted() {
        onVirtualCord(
                () -> {
                    List<Fiber<?>> all = fill();
                    Cord here = Cord.current();
                    Generator<Integer> numbers = Generator.of(out -> out.yield(1));
                    List<Action> ways =
                            List.of(
                                    () -> here.spin("late", () -> 1),
                                    () -> here.spinHandler("late", value -> Handler.WAIT),
                                    () -> Scope.run(scope -> scope.spin("late", () -> {})),
                                    () ->
                                            FiberSupervisor.run(
                                                    RULES, group -> group.spin("late", () -> 1)),
                                    () -> Timed.after(Duration.ofSeconds(1), () -> {}),
                                    () -> assertTrue(numbers.hasNext()));
                    for (Action way : ways) {
                        Throwable full = Runs.failureOf(way);
                        assertFull(full, "was not started: cord virtual");
                    }
                    Throwable refused = Runs.failureOf(() -> here.execute(() -> {}));
                    assertTrue(refused instanceof RejectedExecutionException, refused::toString);
                    assertFull(Runs.cause(refused), "fiber task on cord virtual");
                    end(all);
                    // What was refused can be used when there is a place.
                    assertEquals(1, numbers.next());
                    numbers.close();
                });
        reports.assertNone();
    }

    @Test
    void F7_whoEndsGivesItsPlaceBackHoweverItEnds() {
        onVirtualCord(
                () -> {
                    for (int i = 0; i < MOST; i++) {
                        assertEquals(1, Fiber.spin(() -> 1).await());
                        Fiber<?> failing = Fiber.spin(FiberLimitTest::fail);
                        assertThrows(FiberFailedException.class, failing::await);
                        Fiber<?> unstarted = Fiber.spin(() -> 1);
                        unstarted.terminate();
                        assertThrows(FiberTerminatedException.class, unstarted::await);
                        Fiber<?> abandoned = Fiber.spin(() -> Fiber.suspend());
                        Fiber<?> neverRun = Fiber.spin(() -> 1);
                        Abandonment.abandon(FiberImpl.of(abandoned), "test");
                        Abandonment.abandon(FiberImpl.of(neverRun), "test");
                        Fiber<?> again = Fiber.spin(() -> Fiber.suspend());
                        Fiber.snooze();
                        again.restart();
                        Fiber.snooze();
                        again.terminate();
                        again.awaitEnd(Duration.ofSeconds(1));
                        Cord.current().spinHandler("once", value -> Handler.END).await();
                    }
                    end(fill());
                    assertEquals(1, CordImpl.current().roster.alive(), "the root");
                });
    }

    private static int fail() {
        throw new IllegalStateException("bad");
    }

    @Test
    void misuse_plainThreadHearsOfItByAwaitAndTheHandlerIfItDoesNot() {
        try (Cord cord = Cord.start(options("served"))) {
            List<Fiber<?>> all = new ArrayList<>();
            for (int i = 0; i < MOST; i++) {
                all.add(cord.spin("filler", () -> Fiber.suspend()));
            }
            Fiber<Integer> late = cord.spin("late", () -> 1);
            Throwable thrown = Runs.failureOf(late::await);
            assertFull(Runs.cause(thrown), "fiber late on cord served");
            cord.spin("unheard", () -> 1);
            Runs.until(
                    () ->
                            reports.all().stream()
                                    .anyMatch(each -> each.fiber().name().equals("unheard")));
            cord.execute(() -> {});
            Runs.until(
                    () ->
                            reports.all().stream()
                                    .anyMatch(each -> each.fiber().name().equals("task")));
            all.forEach(Fiber::terminate);
            all.forEach(each -> each.awaitEnd(Duration.ofSeconds(5)));
            assertEquals("fine", cord.spin("again", () -> "fine").await());
        }
    }

    @Test
    void misuse_fiberOfAnotherCordHearsOfItAsOfAChildsFailure() {
        try (Cord full = Cord.start(options("full"))) {
            Cord.run(
                    () -> {
                        List<Fiber<?>> all = new ArrayList<>();
                        for (int i = 0; i < MOST; i++) {
                            all.add(full.spin("filler", () -> Fiber.suspend()));
                        }
                        Fiber<Integer> late = full.spin("late", () -> 1);
                        Throwable thrown = Runs.failureOf(late::await);
                        assertFull(Runs.cause(thrown), "fiber late on cord full");
                        Fiber<?> parent = Fiber.spin("parent", () -> spinUnheard(full));
                        Throwable failed = Runs.failureOf(parent::await);
                        assertFull(Runs.cause(Runs.cause(failed)), "fiber unheard on cord full");
                        end(all);
                        assertEquals("fine", full.spin("again", () -> "fine").await());
                    });
        }
        reports.assertNone();
    }

    private static void spinUnheard(Cord full) {
        full.spin("unheard", () -> 1);
        Fiber.suspend();
    }

    @Test
    void F15_heldFibersCountAndAreRefusedWithTheirPlaces() {
        CountDownLatch go = new CountDownLatch(1);
        Cord cord =
                Cord.start(
                        options("slow")
                                .withInitialiser(
                                        () -> {
                                            Blocking.run(() -> Runs.await(go));
                                        }));
        List<Fiber<String>> all = new ArrayList<>();
        for (int i = 0; i < MOST + 1; i++) {
            all.add(cord.spin("held " + i, () -> "ran"));
        }
        assertFull(Runs.cause(Runs.failureOf(all.getLast()::await)), "fiber held 3 on cord slow");
        go.countDown();
        for (Fiber<String> each : all.subList(0, MOST)) {
            assertEquals("ran", each.await());
        }
        Runs.checkAndClose(cord);
    }

    /** A task counts when it is started, so short ones that come one after the other all run. */
    @Test
    void F15_tasksCountWhenTheyAreStarted() {
        try (Scheduler scheduler =
                Scheduler.start(
                        SchedulerOptions.named("pool").withCords(1).withCord(options("c")))) {
            List<Fiber<Integer>> all = new ArrayList<>();
            for (int i = 0; i < STEPS; i++) {
                all.add(scheduler.spin(() -> 1));
            }
            assertEquals(STEPS, Fiber.awaitAll(all).size());
        }
        reports.assertNone();
    }

    @Test
    void misuse_tasksThatFindAllCordsFullFailAndTheOthersGoOn() {
        CountDownLatch go = new CountDownLatch(1);
        int cords = 2;
        try (Scheduler scheduler =
                Scheduler.start(
                        SchedulerOptions.named("pool").withCords(cords).withCord(options("c")))) {
            List<Fiber<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 2 * cords * MOST; i++) {
                all.add(
                        scheduler.spin(
                                "task " + i,
                                () -> {
                                    Blocking.run(() -> Runs.await(go));
                                    return 1;
                                }));
            }
            Runs.until(
                    () ->
                            all.stream()
                                            .filter(each -> FiberImpl.of(each).outcome() != null)
                                            .count()
                                    == (long) cords * MOST);
            go.countDown();
            int ran = 0;
            for (Fiber<Integer> each : all) {
                try {
                    ran += each.await();
                } catch (FiberFailedException failed) {
                    assertFull(Runs.cause(failed), "was not started: cord pool-");
                }
            }
            assertEquals(cords * MOST, ran);
            assertEquals(2, scheduler.<Integer>spin("again", () -> 2).await());
        }
    }

    /** The cord of the parent has no place, so it must not claim the task and refuse it. */
    @Test
    void F15_awaitedTaskOfAFullCordIsRunByAnotherCord() {
        CountDownLatch isHeld = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Scheduler scheduler = pool(2)) {
            Fiber<?> holder =
                    scheduler.spin(
                            "holder",
                            () -> {
                                isHeld.countDown();
                                Runs.await(go);
                            });
            Runs.await(isHeld);
            Fiber<Boolean> parent =
                    scheduler.spin(
                            "parent",
                            () -> {
                                List<Fiber<?>> fillers = twoThatWait();
                                Cord ran = scheduler.spin("awaited", Cord::current).await();
                                end(fillers);
                                return ran == Cord.current();
                            });
            Runs.until(
                    () ->
                            parent.state() == FiberState.WAITING
                                    || parent.state() == FiberState.DEAD);
            go.countDown();
            holder.await();
            assertEquals(false, parent.await());
        }
        reports.assertNone();
    }

    @Test
    void F15_awaitedTaskForWhichNoCordHasAPlaceFails() {
        try (Scheduler scheduler = pool(1)) {
            Fiber<Throwable> parent =
                    scheduler.spin(
                            "parent",
                            () -> {
                                List<Fiber<?>> fillers = twoThatWait();
                                Fiber<?> task = scheduler.spin("awaited", () -> 1);
                                Throwable thrown = Runs.failureOf(task::await);
                                end(fillers);
                                assertEquals(1, scheduler.<Integer>spin("again", () -> 1).await());
                                return thrown;
                            });
            assertFull(Runs.cause(parent.await()), "fiber awaited on cord pool-");
        }
        reports.assertNone();
    }

    private static List<Fiber<?>> twoThatWait() {
        return List.of(Fiber.spin(() -> Fiber.suspend()), Fiber.spin(() -> Fiber.suspend()));
    }

    private Scheduler pool(int cords) {
        return Scheduler.start(
                SchedulerOptions.named("pool").withCords(cords).withCord(options("c")));
    }

    @Test
    void misuse_supervisorThatFindsNoPlaceEndsWithTheReason() {
        onVirtualCord(
                () -> {
                    Fiber<?> owner =
                            Fiber.spin(
                                    "owner",
                                    () ->
                                            FiberSupervisor.run(
                                                    RULES,
                                                    supervisor -> {
                                                        supervisor.spin("one", () -> 1);
                                                        supervisor.spin("two", () -> 2);
                                                        supervisor.spin("three", () -> 3);
                                                    }));
                    Throwable thrown = Runs.failureOf(owner::await);
                    assertFull(Runs.cause(thrown), "fiber three on cord virtual");
                    assertEquals(1, CordImpl.current().roster.alive());
                });
    }

    @Test
    void misuse_limitThatIsNone() {
        Throwable thrown = Runs.failureOf(() -> CordOptions.named("c").withMaxFibers(0));
        assertTrue(thrown instanceof IllegalArgumentException, thrown::toString);
        assertTrue(String.valueOf(thrown.getMessage()).contains("maxFibers=0"));
        assertNotNull(CordOptions.named("c").withMaxFibers(1));
    }

    @Test
    void F5_conservation() {
        conserve(1);
    }

    @Test
    @Tag("stress")
    void F5_conservationUnderManySeeds() {
        for (long seed = 2; seed < MANY_SEEDS; seed++) {
            conserve(seed);
        }
    }

    /** Whatever happens to the fibers, the count is that of the living ones. */
    private void conserve(long seed) {
        Random random = new Random(seed);
        int most = 20;
        Cord.<@Nullable Object>run(
                Runs.virtualOptions(reports).withMaxFibers(most),
                () -> {
                    List<Fiber<?>> all = new ArrayList<>();
                    for (int step = 0; step < STEPS; step++) {
                        all.removeIf(each -> FiberImpl.of(each).outcome() != null);
                        assertEquals(
                                all.size() + 1, CordImpl.current().roster.alive(), "seed=" + seed);
                        Fiber<?> one = all.isEmpty() ? null : all.get(random.nextInt(all.size()));
                        switch (random.nextInt(6)) {
                            case 0 -> Fiber.snooze();
                            case 1 -> {
                                if (one != null) {
                                    one.terminate();
                                }
                            }
                            case 2 -> {
                                if (one != null) {
                                    Abandonment.abandon(FiberImpl.of(one), "seed " + seed);
                                }
                            }
                            case 3 -> {
                                if (one != null) {
                                    one.restart();
                                }
                            }
                            default -> spinOne(all, most, random.nextInt(3));
                        }
                    }
                    end(List.copyOf(all));
                    assertEquals(1, CordImpl.current().roster.alive(), "seed=" + seed);
                    return null;
                });
    }

    private static void spinOne(List<Fiber<?>> all, int most, int snoozes) {
        boolean isFull = all.size() == most;
        try {
            all.add(Fiber.spin(() -> Runs.snooze(snoozes)));
            assertTrue(!isFull);
        } catch (TooManyFibersException full) {
            assertTrue(isFull, full::toString);
        }
    }
}
