package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.spi.Waits;
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
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** What a cord runs before anything else. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CordInitialiserTest {
    private static final Duration FAR = Duration.ofDays(1);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Reports reports = new Reports();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final CordOptions options = CordOptions.named("initialised").withUncaught(reports);

    @Test
    void F15_runsAsTheRootBeforeTheBody() {
        String result =
                Cord.run(
                        Runs.virtualOptions(reports)
                                .withInitialiser(
                                        () -> {
                                            assertNull(Fiber.current().parent());
                                            Fiber.sleep(FAR);
                                            log.add("initialised " + Cord.current());
                                        }),
                        () -> {
                            log.add("body");
                            return "result";
                        });
        assertEquals("result", result);
        assertEquals(List.of("initialised cord virtual", "body"), log);
    }

    /** Also those that another cord's fibers spin, and tasks. */
    @Test
    void F15_whatOthersSpinStartsAfterIt() {
        CountDownLatch go = new CountDownLatch(1);
        Cord cord = Cord.start(options.withInitialiser(() -> initialiseWhen(go)));
        Fiber<?> plain = cord.spin("plain", () -> log.add("plain"));
        cord.execute(() -> log.add("task"));
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Fiber<Boolean> child = cord.spin("guest", () -> log.add("guest"));
                    Fiber<Boolean> terminated = cord.spin("never", () -> log.add("never"));
                    terminated.terminate();
                    assertEquals(List.of(), log);
                    go.countDown();
                    assertTrue(child.await());
                    assertThrows(FiberTerminatedException.class, terminated::await);
                });
        plain.await();
        assertEquals(List.of("initialised", "plain", "task", "guest"), log);
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    /** Waits as a fiber does, so that the cord takes messages meanwhile. */
    private void initialiseWhen(CountDownLatch go) {
        Blocking.run(() -> Runs.await(go));
        log.add("initialised");
    }

    @Test
    void F15_fibersThatItSpinsRunMeanwhileAndStay() {
        Cord cord =
                Cord.start(
                        options.withInitialiser(
                                () -> {
                                    assertEquals("child", Fiber.spin(() -> "child").await());
                                    Fiber.spin("service", this::service);
                                }));
        assertEquals("alive", Runs.onCord(cord, () -> "alive"));
        assertEquals(List.of("service"), log);
        Runs.checkAndClose(cord);
        assertEquals(List.of("service", "left"), log);
        reports.assertNone();
    }

    private void service() {
        log.add("service");
        try {
            Fiber.suspend();
        } finally {
            log.add("left");
        }
    }

    @Test
    void F15_failureEndsTheCordAndRefusesWhoWaits() {
        Exception boom = new Exception("boom");
        CountDownLatch go = new CountDownLatch(1);
        Cord cord =
                Cord.start(
                        options.withInitialiser(
                                () -> {
                                    initialiseWhen(go);
                                    throw boom;
                                }));
        Fiber<?> waiting = cord.spin("waiting", () -> log.add("never"));
        List<Throwable> thrown = new ArrayList<>();
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Fiber<?> child = cord.spin("guest", () -> log.add("never"));
                    go.countDown();
                    thrown.add(Runs.failureOf(child::await));
                });
        thrown.add(Runs.failureOf(waiting::await));
        assertTrue(cord.awaitEnd(FAR));
        for (Throwable each : thrown) {
            assertInstanceOf(CordClosedException.class, Runs.cause(each), each::toString);
        }
        assertEquals(List.of("initialised"), log);
        List<Reports.Report> roots =
                reports.all().stream()
                        .filter(each -> each.fiber() == CordImpl.of(cord).root())
                        .toList();
        assertEquals(1, roots.size());
        assertSame(boom, Runs.cause(roots.getFirst().failure()));
        assertThrows(CordClosedException.class, () -> cord.spin("late", () -> {}));
        cord.close();
    }

    @Test
    void F15_failureComesOutOfRunAndOfTheRoot() {
        Exception boom = new Exception("boom");
        CordOptions failing =
                options.withInitialiser(
                        () -> {
                            throw boom;
                        });
        FiberFailedException fromRun =
                assertThrows(
                        FiberFailedException.class,
                        () -> Cord.run(failing, () -> log.add("never")));
        assertSame(boom, Runs.cause(fromRun));
        Fiber<Boolean> root = Cord.start(failing, () -> log.add("never"));
        assertSame(boom, Runs.cause(Runs.failureOf(root::await)));
        assertEquals(List.of(), log);
    }

    @Test
    void F15_closeWhileItWaitsEndsIt() {
        CountDownLatch started = new CountDownLatch(1);
        Cord cord =
                Cord.start(
                        options.withInitialiser(
                                () -> {
                                    started.countDown();
                                    Fiber.suspend();
                                    log.add("never");
                                }));
        Fiber<?> waiting = cord.spin("waiting", () -> log.add("never"));
        Runs.await(started);
        cord.close();
        assertInstanceOf(CordClosedException.class, Runs.cause(Runs.failureOf(waiting::await)));
        assertEquals(List.of(), log);
    }

    /** The root may be terminated before it runs at all. */
    @Test
    void F15_closeRightAfterTheStartLeavesNobodyWaiting() {
        for (int i = 0; i < 200; i++) {
            Cord cord = Cord.start(options.withInitialiser(Fiber::snooze));
            Fiber<String> spun = cord.spin("spun", () -> "result");
            cord.close();
            assertTrue(spun.awaitEnd(FAR));
        }
    }

    @Test
    void F15_heldFiberThatIsGivenToAnotherParentStartsOnce() {
        CountDownLatch go = new CountDownLatch(1);
        Cord cord = Cord.start(options.withInitialiser(() -> initialiseWhen(go)));
        Cord other = Runs.started("other", reports);
        Fiber<@Nullable Object> parent = other.spin("parent", () -> Fiber.suspend());
        Fiber<String> moved = cord.spin("moved", () -> name(Fiber.current().parent()));
        moved.attachTo(parent);
        Fiber<String> detached = other.spin("spinner", () -> spinDetached(cord)).await();
        go.countDown();
        assertEquals("parent", moved.await());
        assertEquals("root", detached.await());
        parent.terminate();
        Runs.checkAndClose(cord);
        Runs.checkAndClose(other);
        reports.assertNone();
    }

    /** Nothing of it is ever to run, so nobody has to wait for the initialiser. */
    @Test
    void F15_heldFiberThatIsTerminatedEndsAtOnce() {
        CordOptions patient =
                options.withStopLimit(Waits.FOREVER).withInitialiser(() -> Fiber.suspend());
        Cord cord = Cord.start(patient);
        Fiber<Boolean> spun = cord.spin("spun", () -> log.add("never"));
        spun.terminate();
        assertThrows(FiberTerminatedException.class, spun::await);
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Fiber<?> parent = Fiber.spin(() -> cord.spin("guest", () -> log.add("never")));
                    assertTrue(parent.awaitEnd(FAR));
                });
        cord.close();
        assertEquals(List.of(), log);
        reports.assertNone();
    }

    /**
     * It is its cord's foreign child or its root's child by then, but nobody waits for it to run.
     */
    @Test
    void F15_heldFiberThatWasMovedDoesNotKeepItsCordFromEnding() {
        CountDownLatch started = new CountDownLatch(1);
        Cord cord =
                Cord.start(
                        options.withStopLimit(Waits.FOREVER)
                                .withInitialiser(
                                        () -> {
                                            started.countDown();
                                            Fiber.suspend();
                                        }));
        Cord other = Runs.started("other", reports);
        Fiber<@Nullable Object> parent = other.spin("parent", () -> Fiber.suspend());
        Runs.await(started);
        Fiber<Boolean> moved = cord.spin("moved", () -> log.add("never"));
        moved.attachTo(parent);
        Fiber<?> detached = other.spin("spinner", () -> spinDetached(cord)).await();
        Runs.until(() -> FiberImpl.of(detached).isIn == Family.childList(CordImpl.of(cord).root()));
        cord.close();
        assertInstanceOf(CordClosedException.class, Runs.cause(Runs.failureOf(detached::await)));
        assertInstanceOf(CordClosedException.class, Runs.cause(Runs.failureOf(moved::await)));
        Runs.failureOf(parent::await);
        assertEquals(List.of(), log);
        Runs.checkAndClose(other);
    }

    private static Fiber<String> spinDetached(Cord cord) {
        Fiber<String> fiber = cord.spin("detached", () -> name(Fiber.current().parent()));
        fiber.detach();
        return fiber;
    }

    private static String name(@Nullable Fiber<?> fiber) {
        return fiber == null ? "none" : fiber.name();
    }

    @Test
    void F15_heldFiberThatIsAbandonedNeverRuns() {
        CountDownLatch go = new CountDownLatch(1);
        Cord cord = Cord.start(options.withInitialiser(() -> initialiseWhen(go)));
        Fiber<?>[] child = new FiberImpl<?>[1];
        Cord.<@Nullable Object>run(
                CordOptions.named("hurried")
                        .withStopLimit(Duration.ofNanos(1))
                        .withUncaught(reports),
                () -> {
                    child[0] = cord.spin("guest", () -> log.add("never"));
                    return null;
                });
        go.countDown();
        Throwable end = Runs.failureOf(child[0]::await);
        assertTrue(
                end instanceof FiberAbandonedException || end instanceof FiberTerminatedException,
                end::toString);
        Runs.checkAndClose(cord);
        assertEquals(List.of("initialised"), log);
    }

    @Test
    void F6_restartOfTheRootRunsItOnce() {
        int[] runs = new int[2];
        Cord.run(
                Runs.virtualOptions(reports).withInitialiser(() -> runs[0]++),
                () -> {
                    if (++runs[1] < 3) {
                        Fiber.current().restart();
                        Fiber.snooze();
                    }
                    return "result";
                });
        assertEquals(1, runs[0]);
        assertEquals(3, runs[1]);
    }

    /** Until it is done it belongs to what is run again. */
    @Test
    void F6_restartOfTheRootInTheMiddleRunsItAgain() {
        int[] runs = new int[1];
        String result =
                Cord.run(
                        Runs.virtualOptions(reports)
                                .withInitialiser(
                                        () -> {
                                            if (++runs[0] < 3) {
                                                Fiber.current().restart();
                                                Fiber.snooze();
                                            }
                                        }),
                        () -> "result");
        assertEquals("result", result);
        assertEquals(3, runs[0]);
    }

    // ---------------------------------------------------------------- at random

    /**
     * Threads and a fiber of another cord spin, terminate and move fibers while the initialiser
     * runs, ends or fails and the cord is closed: every fiber ends, and ran once at most.
     */
    private static void play(long seed) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        Reports reports = new Reports();
        int end = random.nextInt(4);
        int snoozes = random.nextInt(30);
        Cord other = Runs.started("other", reports);
        Fiber<@Nullable Object> parent = other.spin("parent", () -> Fiber.suspend());
        Cord cord =
                Cord.start(
                        CordOptions.named("initialised")
                                .withUncaught(reports)
                                .withStacks(
                                        random.nextBoolean()
                                                ? StackKind.LIGHT
                                                : StackKind.VIRTUAL_THREAD)
                                .withInitialiser(() -> initialise(end, snoozes)));
        List<Fiber<?>> fibers = new CopyOnWriteArrayList<>();
        AtomicInteger ran = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            SplittableRandom own = random.split();
            threads.add(Thread.ofPlatform().start(() -> disturb(own, cord, parent, fibers, ran)));
        }
        SplittableRandom own = random.split();
        Fiber<?> spinner = other.spin("spinner", () -> disturb(own, cord, parent, fibers, ran));
        for (int i = random.nextInt(20_000); i > 0; i--) {
            Thread.onSpinWait();
        }
        if (random.nextBoolean()) {
            CordImpl.of(cord).root().terminate();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        String replay = "seed=" + seed + " end=" + end + " snoozes=" + snoozes;
        assertTrue(spinner.awaitEnd(LIMIT), replay);
        cord.close();
        parent.terminate();
        for (Fiber<?> fiber : fibers) {
            assertTrue(fiber.awaitEnd(LIMIT), () -> replay + ": " + fiber);
        }
        Runs.checkAndClose(other);
        assertTrue(ran.get() <= fibers.size(), replay);
        for (Reports.Report report : reports.all()) {
            assertFalse(
                    report.failure() instanceof FiberAbandonedException,
                    () -> replay + ": " + report);
        }
    }

    private static void initialise(int end, int snoozes) throws Exception {
        Runs.snooze(snoozes);
        switch (end) {
            case 0 -> throw new Exception("by chance");
            case 1 -> Fiber.sleep(Duration.ofMillis(2));
            case 2 -> Fiber.suspend();
            default -> Fiber.snooze();
        }
    }

    private static void disturb(
            SplittableRandom random,
            Cord cord,
            Fiber<?> parent,
            List<Fiber<?>> fibers,
            AtomicInteger ran) {
        try {
            for (int i = 0; i < 20; i++) {
                Fiber<Integer> fiber = cord.spin("spun", ran::incrementAndGet);
                fibers.add(fiber);
                for (int calls = random.nextInt(4); calls > 0; calls--) {
                    switch (random.nextInt(4)) {
                        case 0 -> fiber.terminate();
                        case 1 -> fiber.attachTo(parent);
                        case 2 -> fiber.detach();
                        default -> fiber.raise(new IllegalStateException("raised"));
                    }
                }
            }
        } catch (CordClosedException closed) {
            assertTrue(closed.toString().contains("cord initialised"));
        }
    }

    @Test
    void F15_everyHeldFiberIsAnswered() throws InterruptedException {
        for (long seed = 0; seed < 60; seed++) {
            play(seed);
        }
    }

    @Test
    @Tag("stress")
    @Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
    void F15_everyHeldFiberIsAnsweredWithManySeeds() throws InterruptedException {
        for (long seed = 1_000; seed < 4_000; seed++) {
            play(seed);
        }
    }
}
