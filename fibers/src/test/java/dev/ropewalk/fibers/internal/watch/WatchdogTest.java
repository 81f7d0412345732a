package dev.ropewalk.fibers.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.Mail;
import dev.ropewalk.fibers.observe.WatchOptions;
import dev.ropewalk.fibers.observe.WatchdogHandler;
import dev.ropewalk.fibers.observe.WatchdogReport;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Rule F13: a cord that does not yield is seen, and nothing else is. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WatchdogTest {
    private static final int LIMIT_MS = 500;
    private static final int REAL_LIMIT_MS = 100;
    private static final long MS = 1_000_000;

    private final List<Cord> cords = new ArrayList<>();

    /** The watchdog of cords that it does not look at: the test says what a tick finds. */
    private final List<WatchdogReport> told = new ArrayList<>();

    private final WatchdogHandler handler = told::add;
    private final Watchdog watchdog = new Watchdog(Runnable::run);
    private final List<CordWatch> all = new ArrayList<>();
    private long nowNs = Long.MAX_VALUE - 200 * MS; // soon overflows, as it may

    @AfterEach
    void closeCords() {
        cords.forEach(Cord::close);
    }

    private CordWatch watch(WatchdogHandler toTell, Duration limit) {
        Cord cord =
                Cord.start(CordOptions.named("cord" + all.size()).withStuckLimit(Waits.FOREVER));
        cords.add(cord);
        CordWatch watch = new CordWatch(CordImpl.of(cord), options(limit, toTell), watchdog);
        all.add(watch);
        return watch;
    }

    private static WatchOptions options(Duration limit, WatchdogHandler toTell) {
        return WatchOptions.DEFAULT.withStuckLimit(limit).withStuckHandler(toTell);
    }

    private CordWatch watch() {
        return watch(handler, Duration.ofMillis(LIMIT_MS));
    }

    /** So many milliseconds in which these are silent, and the others yield. */
    private void ticks(int number, CordWatch... silent) {
        for (int i = 0; i < number; i++) {
            nowNs += MS;
            for (CordWatch each : all) {
                each.step(true, Arrays.asList(silent).contains(each), nowNs);
            }
            watchdog.afterTick(all, nowNs);
        }
    }

    private <R extends WatchdogReport> R last(Class<R> type, int ofSoMany) {
        assertEquals(ofSoMany, told.size(), () -> "told: " + told);
        return assertInstanceOf(type, told.getLast());
    }

    // ---------------------------------------------------------------- with times by hand

    /** Scenario S6 of SQLOS: one report in an episode. */
    @Test
    void F13_stuckCordIsToldOnceAndOnceWhenItMoves() {
        CordWatch watch = watch();
        for (int episode = 0; episode < 3; episode++) {
            ticks(10);
            ticks(LIMIT_MS - 1, watch);
            assertEquals(2 * episode, told.size());
            ticks(1, watch);
            WatchdogReport.Stuck stuck = last(WatchdogReport.Stuck.class, 2 * episode + 1);
            assertSame(watch.cord, stuck.cord());
            assertEquals(Duration.ofMillis(LIMIT_MS), stuck.time());
            ticks(3 * LIMIT_MS, watch);
            last(WatchdogReport.Stuck.class, 2 * episode + 1);
            ticks(1);
            WatchdogReport.Over over = last(WatchdogReport.Over.class, 2 * episode + 2);
            assertEquals(Duration.ofMillis(4 * LIMIT_MS + 1), over.time());
        }
    }

    @Test
    void F13_cordThatSleepsOrGivesWayIsNotTold() {
        CordWatch watch = watch();
        ticks(1);
        for (int i = 0; i < 10; i++) {
            ticks(LIMIT_MS - 1, watch);
            ticks(1);
        }
        for (int i = 0; i < 3 * LIMIT_MS; i++) {
            nowNs += MS;
            watch.step(false, false, nowNs);
        }
        // It woke up, and has not looked yet: that mark is from before.
        nowNs += MS;
        watch.step(true, true, nowNs);
        ticks(LIMIT_MS - 1, watch);
        assertEquals(List.of(), told);
    }

    @Test
    void F13_pauseOfTheWholeMachineIsNotTheCords() {
        CordWatch watch = watch();
        ticks(1);
        for (int i = 0; i < 10; i++) {
            nowNs += 60_000 * MS;
            watch.step(true, true, nowNs);
        }
        assertEquals(List.of(), told);
        ticks(LIMIT_MS - 100, watch);
        last(WatchdogReport.Stuck.class, 1);
    }

    @Test
    void F13_cordThatEndsIsOver() {
        CordWatch watch = watch();
        ticks(1);
        ticks(LIMIT_MS, watch);
        all.remove(watch);
        watch.end();
        ticks(5);
        last(WatchdogReport.Over.class, 2);
    }

    /** Scenario S9 of SQLOS, its first half; {@link ReactorWatchTest} has the second. */
    @Test
    void F13_allStuckAtOnceIsOneAlarm() {
        CordWatch one = watch();
        CordWatch two = watch();
        watch(handler, Waits.FOREVER); // not watched, and counted among none
        ticks(1);
        ticks(LIMIT_MS, one);
        last(WatchdogReport.Stuck.class, 1);
        ticks(LIMIT_MS, one, two);
        WatchdogReport.AllStuck alarm = last(WatchdogReport.AllStuck.class, 3);
        assertEquals(List.of(one.cord, two.cord), alarm.cords());
        ticks(LIMIT_MS, one, two);
        assertEquals(3, told.size());
        ticks(1, one);
        last(WatchdogReport.Over.class, 4);
        ticks(LIMIT_MS, one, two);
        last(WatchdogReport.AllStuck.class, 6);
    }

    @Test
    void F13_cordThatIsAloneAndOneOfThreeAreNoAlarm() {
        CordWatch alone = watch();
        ticks(1);
        ticks(LIMIT_MS, alone);
        ticks(1);
        CordWatch two = watch();
        watch();
        ticks(1);
        ticks(LIMIT_MS, alone, two);
        assertTrue(told.stream().noneMatch(each -> each instanceof WatchdogReport.AllStuck));
    }

    @Test
    void F13_eachHandlerIsToldOfTheAlarm() {
        List<WatchdogReport> others = new ArrayList<>();
        CordWatch one = watch();
        CordWatch two = watch(others::add, Duration.ofMillis(LIMIT_MS));
        ticks(1);
        ticks(LIMIT_MS, one, two);
        last(WatchdogReport.AllStuck.class, 2);
        assertInstanceOf(WatchdogReport.AllStuck.class, others.getLast());
    }

    @Test
    void F13_handlerThatThrowsHarmsNobody() {
        List<WatchdogReport> heard = new ArrayList<>();
        CordWatch watch =
                watch(
                        report -> {
                            heard.add(report);
                            throw new AssertionError("broken handler, logged by this test");
                        },
                        Duration.ofMillis(LIMIT_MS));
        ticks(1);
        ticks(LIMIT_MS, watch);
        ticks(1);
        assertEquals(2, heard.size());
    }

    @Test
    void F13_tickerSurvivesAWatchdogThatFails() {
        Runs.real( // on a virtual thread the lines that are logged yield
                StackKind.LIGHT,
                new Reports(),
                () -> {
                    int[] failures = new int[1];
                    Watchdog broken =
                            new Watchdog(
                                    _ -> {
                                        failures[0]++;
                                        throw new RejectedExecutionException("by the test");
                                    });
                    CordWatch watch =
                            new CordWatch(CordImpl.current(), WatchOptions.DEFAULT, broken);
                    // This fiber does not yield: the mark stays.
                    for (int i = 0; i < 10 * LIMIT_MS; i++) {
                        nowNs += MS;
                        assertTrue(watch.tick(nowNs));
                        broken.afterTick(List.of(watch), nowNs);
                    }
                    assertTrue(watch.isStuck());
                    assertEquals(2, failures[0]);
                });
    }

    // ---------------------------------------------------------------- on real cords

    private final BlockingQueue<WatchdogReport> heard = new LinkedBlockingQueue<>();

    /** The next of this kind and fiber; a slow machine may have others reported before. */
    private <R extends WatchdogReport> R next(
            Class<R> type, Function<R, @Nullable Fiber<?>> fiberOf, @Nullable String name)
            throws InterruptedException {
        for (; ; ) {
            WatchdogReport report =
                    Objects.requireNonNull(heard.poll(20, TimeUnit.SECONDS), "no report");
            if (type.isInstance(report)) {
                Fiber<?> fiber = fiberOf.apply(type.cast(report));
                if (Objects.equals(name, fiber == null ? null : fiber.name())) {
                    return type.cast(report);
                }
            }
        }
    }

    private WatchdogReport.Stuck nextStuck(@Nullable String fiber) throws InterruptedException {
        return next(WatchdogReport.Stuck.class, WatchdogReport.Stuck::fiber, fiber);
    }

    private WatchdogReport.Over nextOver(@Nullable String fiber) throws InterruptedException {
        return next(WatchdogReport.Over.class, WatchdogReport.Over::fiber, fiber);
    }

    private Cord watched(StackKind stacks) {
        Cord cord =
                Cord.start(
                        CordOptions.named("watched")
                                .withStacks(stacks)
                                .withStuckLimit(Duration.ofMillis(REAL_LIMIT_MS))
                                .withStuckHandler(
                                        report -> {
                                            if (!(report instanceof WatchdogReport.AllStuck)) {
                                                heard.add(report);
                                            }
                                        }));
        cords.add(cord);
        cord.spin("first", () -> {}).await(); // so that nothing has to be loaded later
        return cord;
    }

    private static void keepsTheThread(AtomicBoolean goOn) {
        while (!goOn.get()) {
            Thread.onSpinWait();
        }
    }

    private static void assertNames(WatchdogReport.Stuck stuck, String fiber, String method) {
        assertEquals(fiber, Objects.requireNonNull(stuck.fiber(), "fiber").name());
        assertTrue(
                stuck.stack().stream().anyMatch(each -> each.getMethodName().equals(method)),
                stuck::toString);
        assertTrue(stuck.toString().contains("has not yielded for"), stuck::toString);
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F13_fiberInALoopIsNamedWithItsStackAndCpuTime(StackKind stacks)
            throws InterruptedException {
        Cord cord = watched(stacks);
        AtomicBoolean goOn = new AtomicBoolean();
        Fiber<@Nullable Void> fiber = cord.spin("loops", () -> keepsTheThread(goOn));
        WatchdogReport.Stuck stuck = nextStuck("loops");
        goOn.set(true);
        assertSame(cord, stuck.cord());
        assertNames(stuck, "loops", "keepsTheThread");
        assertEquals(
                cord.stacks() == StackKind.PORTABLE, stuck.cpuTime() == null); // nobody counts it
        WatchdogReport.Over over = nextOver("loops");
        assertSame(fiber, over.fiber());
        assertTrue(over.time().toMillis() >= REAL_LIMIT_MS, over::toString);
        fiber.await();
    }

    @Test
    void F13_fiberThatBlocksItsThreadIsNamed() throws InterruptedException {
        Cord cord = watched(StackKind.LIGHT);
        CountDownLatch latch = new CountDownLatch(1);
        Fiber<@Nullable Void> fiber = cord.spin("blocks", () -> Runs.await(latch));
        WatchdogReport.Stuck stuck = nextStuck("blocks");
        latch.countDown();
        assertNames(stuck, "blocks", "await");
        if (cord.stacks() != StackKind.PORTABLE) {
            Duration cpuTime = Objects.requireNonNull(stuck.cpuTime(), "cpuTime");
            assertTrue(cpuTime.compareTo(stuck.time()) < 0, stuck::toString);
        }
        assertEquals(null, stuck.monitor());
        nextOver("blocks");
        fiber.await();
    }

    @Test
    void F13_monitorThatAnotherThreadHoldsIsNamedWithThatThread() throws InterruptedException {
        Object monitor = new Object();
        Cord cord = watched(StackKind.LIGHT);
        WatchdogReport.Stuck stuck;
        Fiber<@Nullable Void> fiber;
        synchronized (monitor) {
            fiber =
                    cord.spin(
                            "enters",
                            () -> {
                                synchronized (monitor) {
                                    assertTrue(Thread.holdsLock(monitor));
                                }
                            });
            stuck = nextStuck("enters");
        }
        WatchdogReport.Monitor found = Objects.requireNonNull(stuck.monitor(), stuck::toString);
        if (cord.stacks() == StackKind.PORTABLE) { // the JVM says no more of a virtual thread
            assertTrue(stuck.toString().contains("its thread is BLOCKED on a monitor"));
        } else {
            assertEquals(Thread.currentThread().getName(), found.owner());
            assertTrue(
                    String.valueOf(found.name()).startsWith("java.lang.Object@"), found::toString);
            assertTrue(
                    stuck.toString().contains("its thread is BLOCKED on the monitor of java.lang"));
        }
        nextOver("enters");
        fiber.await();
    }

    @Test
    void F13_messageThatKeepsTheThreadIsNoFibers() throws InterruptedException {
        Cord cord = watched(StackKind.LIGHT);
        AtomicBoolean goOn = new AtomicBoolean();
        cord.post(Runs.message(() -> keepsTheThread(goOn)));
        WatchdogReport.Stuck stuck = nextStuck(null);
        goOn.set(true);
        assertEquals(null, stuck.fiber());
        assertTrue(stuck.toString().contains("in no fiber"), stuck::toString);
    }

    @Test
    void F13_fiberThatIsBlockedInTheJdkOnAVirtualThreadIsNotTold() {
        Cord cord = Cord.start(CordOptions.named("virtual").withStacks(StackKind.VIRTUAL_THREAD));
        cords.add(cord);
        CountDownLatch latch = new CountDownLatch(1);
        Fiber<@Nullable Void> fiber = cord.spin("waits", () -> Runs.await(latch));
        Runs.until(() -> fiber.state() == FiberState.WAITING && !CordImpl.of(cord).mail.isBusy());
        CordWatch watch =
                new CordWatch(
                        CordImpl.of(cord), options(Duration.ofMillis(LIMIT_MS), handler), watchdog);
        for (int i = 0; i < 3 * LIMIT_MS; i++) {
            nowNs += MS;
            assertFalse(watch.tick(nowNs));
        }
        latch.countDown();
        fiber.await();
        assertEquals(List.of(), told);
    }

    // ---------------------------------------------------------------- the options

    @Test
    void misuse_wrongLimitsAreNamed() {
        CordOptions options = CordOptions.named("options");
        IllegalArgumentException zero =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> options.withStuckLimit(Duration.ZERO));
        assertTrue(String.valueOf(zero.getMessage()).contains("Waits.FOREVER switches"));
        assertThrows(
                IllegalArgumentException.class,
                () -> options.withStuckLimit(Duration.ofMillis(-1)));
        assertEquals(Duration.ofMillis(500), options.watch().stuckLimit());
    }

    /** A thread that gave its CPU up may wait for it longer than any limit. */
    @Test
    void F13_cordThatSpinsIsNotStuck() {
        BlockingQueue<WatchdogReport> ofSpinning = new LinkedBlockingQueue<>();
        CountDownLatch isOtherStuck = new CountDownLatch(1);
        Cord spinning =
                Cord.start(
                        CordOptions.named("spinning")
                                .withStuckLimit(Duration.ofMillis(REAL_LIMIT_MS / 5))
                                .withStuckHandler(ofSpinning::add));
        Cord stuck =
                Cord.start(
                        CordOptions.named("stuck")
                                .withStuckLimit(Duration.ofMillis(REAL_LIMIT_MS))
                                .withStuckHandler(
                                        report -> {
                                            if (report instanceof WatchdogReport.Stuck) {
                                                isOtherStuck.countDown();
                                            }
                                        }));
        cords.addAll(List.of(spinning, stuck));
        CountDownLatch isSpinning = new CountDownLatch(1);
        Fiber<?> spins =
                spinning.spin(
                        "spins",
                        () -> {
                            CordImpl.of(spinning).mail.activity(Mail.Activity.SPINNING);
                            isSpinning.countDown();
                            Runs.await(isOtherStuck);
                            CordImpl.of(spinning).mail.activity(Mail.Activity.BUSY);
                        });
        Runs.await(isSpinning);
        stuck.spin("blocks", () -> Runs.await(isOtherStuck)).await();
        spins.await();
        assertEquals(List.of(), List.copyOf(ofSpinning));
    }
}
