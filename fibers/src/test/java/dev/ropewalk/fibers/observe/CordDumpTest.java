package dev.ropewalk.fibers.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.report.CordDumps;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** Rule F9: what a cord and its fibers are doing. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CordDumpTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration SHORT = Duration.ofMillis(20);

    private static FiberDump find(CordDump dump, String name) {
        return dump.fibers().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + name + " in " + dump));
    }

    private static boolean isAt(FiberDump fiber, String method) {
        return fiber.stack().stream().anyMatch(frame -> frame.getMethodName().equals(method));
    }

    private static void waitsHere() {
        Fiber.suspend();
    }

    private static void runsHere(AtomicBoolean go) {
        while (!go.get()) {
            Thread.onSpinWait();
        }
    }

    // ---------------------------------------------------------------- what it tells

    private static void checkTree() {
        Mutex mutex = Mutex.local();
        Fiber<?> parent =
                Fiber.spin(
                        "parent",
                        () -> {
                            Fiber.spin("sleeper", () -> Fiber.sleep(DAY));
                            mutex.lock();
                            try {
                                waitsHere();
                            } finally {
                                mutex.unlock();
                            }
                        });
        while (parent.state() != FiberState.WAITING) {
            Fiber.snooze();
        }
        Fiber<?> locker = Fiber.spin("locker", () -> mutex.run(() -> {}));
        Fiber<?> awaiter = Fiber.spin("awaiter", () -> parent.awaitEnd(DAY));
        while (awaiter.state() != FiberState.WAITING
                || locker.state() != FiberState.WAITING
                || Cord.current().stats().timers() < 2) {
            Fiber.snooze();
        }
        Fiber.spin("unstarted", () -> {});

        CordDump dump = Cord.current().dump();
        assertEquals(CordDump.State.COMPLETE, dump.state());
        assertEquals("root", dump.running());
        assertEquals(0, dump.moreFibers());
        assertEquals(List.of(), dump.cycles());
        assertEquals(2, dump.stats().timers()); // the sleeper's, and the awaiter's limit
        assertNotNull(dump.nextTimer());
        List<String> owners = dump.timers().stream().map(TimerDump::owner).toList();
        assertEquals(2, owners.size(), dump::toString);
        Duration next = dump.timers().getFirst().due();
        assertTrue(next.compareTo(DAY) <= 0 && next.isPositive(), dump::toString);
        for (String each : List.of("sleeper #", "awaiter #")) {
            assertTrue(owners.stream().anyMatch(o -> o.startsWith(each)), dump::toString);
        }
        assertTrue(dump.toString().contains(": wait of sleeper #"), dump::toString);
        assertEquals(1, dump.stats().runnable());

        FiberDump root = find(dump, "root");
        assertEquals(FiberState.RUNNING, root.state());
        assertEquals(4, root.children());
        assertTrue(isAt(root, "checkTree"), dump::toString);
        assertNull(root.waitKind());

        FiberDump waits = find(dump, "parent");
        assertEquals(FiberState.WAITING, waits.state());
        assertEquals("suspend", waits.waitKind());
        assertEquals(root.id(), waits.parent());
        assertEquals(1, waits.depth());
        assertTrue(isAt(waits, "waitsHere"), dump::toString);
        assertEquals("suspend", waits.stack().getFirst().getMethodName(), dump::toString);

        FiberDump sleeper = find(dump, "sleeper");
        assertEquals(2, sleeper.depth());
        assertEquals("sleep", sleeper.reason());

        assertEquals(List.of("parent"), find(dump, "awaiter").awaits());
        assertEquals(List.of("parent"), find(dump, "locker").awaits());
        assertEquals(FiberState.RUNNABLE, find(dump, "unstarted").state());
        assertEquals(List.of(), find(dump, "unstarted").stack());

        String text = dump.toString();
        assertTrue(text.indexOf("parent #") < text.indexOf("    sleeper #"), text);
        assertTrue(text.contains("local mutex"), text);
        locker.terminate();
        parent.terminate();
    }

    @Test
    void F9_dumpTellsTheTreeTheWaitsAndTheStacks() {
        Runs.inAnyOrder(CordDumpTest::checkTree);
        Runs.real(CordDumpTest::checkTree);
    }

    @Test
    void F9_dumpTellsWhoseTheNextTimersAre() {
        Runs.inAnyOrder(
                () -> {
                    Alarm.after(DAY.toNanos(), CordDumpTest::waitsHere);
                    Alarm.after(DAY.toNanos() / 2, new FutureTask<>(() -> null));
                    Fiber<?> limited =
                            Fiber.spin(
                                    "limited",
                                    () -> CancelScope.moveOnAfter(SHORT, () -> Fiber.suspend()));
                    while (limited.state() != FiberState.WAITING) {
                        Fiber.snooze();
                    }
                    CordDump dump = CordDumps.ofOwnTexts(Cord.current(), DAY);
                    assertEquals(
                            List.of("limit", "alarm", "alarm"),
                            dump.timers().stream().map(TimerDump::kind).toList());
                    assertEquals("limited #" + limited.id(), dump.timers().getFirst().owner());
                    assertEquals(
                            FutureTask.class.getName(), // its text is not asked for
                            dump.timers().get(1).owner());
                    assertEquals(CordDumpTest.class.getName(), dump.timers().getLast().owner());
                    limited.terminate();
                });
    }

    @Test
    void F6_dumpTellsWhatIsPending() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> shielded =
                            Fiber.spin(
                                    "shielded",
                                    () ->
                                            CancelScope.shielded(
                                                    DAY, () -> Fiber.sleep(Duration.ofSeconds(1))));
                    Runs.settle();
                    shielded.terminate();
                    FiberDump dump = find(Cord.current().dump(), "shielded");
                    assertEquals(FiberState.WAITING, dump.state());
                    assertTrue(
                            String.valueOf(dump.pending()).contains("terminate"), dump::toString);
                });
    }

    @Test
    void F9_handlerBetweenTwoTurnsHasNoStack() {
        Runs.inAnyOrder(
                () -> {
                    Cord cord = Cord.current();
                    Fiber<?> handler = cord.spinHandler("handler", _ -> Handler.WAIT);
                    Runs.settle();
                    FiberDump dump = find(cord.dump(), "handler");
                    assertEquals("handler", dump.waitKind());
                    assertEquals(List.of(), dump.stack());
                    handler.terminate();
                });
    }

    @Test
    void F9_whateverToStringDoesTheDumpIsThere() {
        Runs.inAnyOrder(
                () -> {
                    spinWaiting(
                            "throws",
                            new Reason(
                                    () -> {
                                        throw new IllegalStateException("bad");
                                    }));
                    spinWaiting(
                            "waits",
                            new Reason(
                                    () -> {
                                        Fiber.snooze();
                                        return "waited";
                                    }));
                    spinWaiting("lines", new Reason(() -> "a\nb"));
                    spinWaiting("long", new Reason(() -> "x".repeat(100_000)));
                    spinWaiting("overflows", new Reason(() -> deeper(0)));
                    Runs.settle();
                    CordDump dump = Cord.current().dump();
                    assertTrue(reason(dump, "throws").contains("IllegalStateException"));
                    assertTrue(reason(dump, "waits").contains("IllegalStateException"));
                    assertEquals("a b", reason(dump, "lines"));
                    assertTrue(reason(dump, "long").length() < 1_000);
                    assertTrue(reason(dump, "overflows").contains("StackOverflowError"));
                });
    }

    private static String deeper(int depth) {
        return depth < 0 ? "deep" : deeper(depth + 1) + "!"; // overflows before the number does
    }

    private static String reason(CordDump dump, String name) {
        return String.valueOf(find(dump, name).reason());
    }

    private static void spinWaiting(String name, Reason reason) {
        Fiber.spin(name, () -> Waits.park(reason));
    }

    private interface Text {
        String get();
    }

    private record Reason(Text text) {
        @Override
        public String toString() {
            return text.get();
        }
    }

    @Test
    void F9_manyFibersAreCountedAndTheTextStaysBounded() {
        Runs.fifo(
                () -> {
                    for (int i = 0; i < 5_000; i++) {
                        Fiber.spin(CordDumpTest::waitsHere);
                    }
                    Runs.settle();
                    CordDump dump = Cord.current().dump();
                    assertEquals(5_001, dump.fibers().size() + dump.moreFibers());
                    assertEquals(2_000, dump.fibers().size());
                    assertEquals(
                            200, dump.fibers().stream().filter(f -> !f.stack().isEmpty()).count());
                    long lines = dump.toString().lines().count();
                    assertTrue(lines < 12_000, () -> "lines=" + lines);
                    assertTrue(dump.toString().contains("... and 3001 more fibers"));
                });
    }

    @Test
    void F9_treeDeeperThanAStack() {
        Runs.fifo(
                () -> {
                    Fiber.spin(() -> spinDeeper(20_000));
                    Runs.settle();
                    CordDump dump = Cord.current().dump();
                    assertEquals(20_002, dump.fibers().size() + dump.moreFibers());
                    assertEquals(1_999, dump.fibers().getLast().depth());
                });
    }

    private static void spinDeeper(int more) {
        if (more > 0) {
            Fiber.spin(() -> spinDeeper(more - 1));
        }
        Fiber.suspend();
    }

    // ---------------------------------------------------------------- from elsewhere

    @ParameterizedTest
    @EnumSource
    void F8_dumpFromAPlainThreadAndFromAnotherCord(StackKind stacks) {
        Cord cord = Cord.start(CordOptions.named("dumped").withStacks(stacks));
        Fiber<?> waits = cord.spin("waits", CordDumpTest::waitsHere);
        Runs.until(() -> waits.state() == FiberState.WAITING);
        assertTrue(isAt(find(cord.dump(DAY), "waits"), "waitsHere"));
        Runs.real(
                () -> {
                    Fiber<?> child = cord.spin("guest", CordDumpTest::waitsHere);
                    Runs.until(() -> child.state() == FiberState.WAITING);
                    FiberDump dump = find(cord.dump(DAY), "guest");
                    assertTrue(dump.isForeignChild());
                    assertEquals(Fiber.current().id(), dump.parent());
                    assertTrue(isAt(dump, "waitsHere"));
                    FiberDump here = find(Cord.current().dump(), "root");
                    assertEquals(1, here.children());
                    child.terminate();
                    child.awaitEnd(DAY);
                });
        Runs.checkAndClose(cord);
    }

    @ParameterizedTest
    @EnumSource
    void F9_cordThatDoesNotAnswerIsShownFromOutside(StackKind stacks) {
        Cord cord = Cord.start(CordOptions.named("stuck").withStacks(stacks));
        AtomicBoolean go = new AtomicBoolean();
        Fiber<?> busy = cord.spin("busy", () -> runsHere(go));
        Runs.until(() -> busy.state() == FiberState.RUNNING);
        CordDump dump = cord.dump(SHORT);
        assertEquals(CordDump.State.INCOMPLETE, dump.state());
        assertEquals("busy", dump.running());
        assertTrue(
                dump.stack().stream().anyMatch(f -> f.getMethodName().equals("runsHere")),
                dump::toString);
        assertTrue(dump.toString().contains("did not answer"), dump::toString);
        go.set(true);
        assertEquals(CordDump.State.COMPLETE, cord.dump(DAY).state());
        Runs.checkAndClose(cord);
    }

    @Test
    void F9_fiberThatIsBusyBetweenSwitchesIsShownWhereItIs() {
        Cord cord = Cord.start("turning");
        AtomicBoolean go = new AtomicBoolean();
        cord.spin("turning", () -> turnsHere(go));
        Runs.until(() -> cord.stats().switches() > 100);
        FiberDump turning = find(cord.dump(DAY), "turning");
        assertTrue(isAt(turning, "turnsHere"), turning::toString);
        go.set(true);
        Runs.checkAndClose(cord);
    }

    private static void turnsHere(AtomicBoolean go) {
        while (!go.get()) {
            Fiber.snooze();
        }
    }

    @Test
    void F8_dumpOfACordThatHasEnded() {
        Cord cord = Cord.start("ended");
        cord.close();
        CordDump dump = cord.dump(DAY);
        assertEquals(CordDump.State.ENDED, dump.state());
        assertEquals(List.of(), dump.fibers());
        assertTrue(dump.toString().contains("has ended"), dump::toString);
    }

    @Test
    void F6_askerThatIsTerminatedLeavesAndTheCordIsAsBefore() {
        Cord cord = Cord.start("asked");
        AtomicBoolean go = new AtomicBoolean();
        Fiber<?> busy = cord.spin("busy", () -> runsHere(go));
        Runs.until(() -> busy.state() == FiberState.RUNNING);
        Runs.real(
                () -> {
                    Fiber<CordDump> asker = Fiber.spin("asker", () -> cord.dump(DAY));
                    assertNull(
                            CancelScope.<@Nullable CordDump, RuntimeException>moveOnAfter(
                                    SHORT, null, () -> cord.dump(DAY)));
                    assertEquals(FiberState.WAITING, asker.state());
                    asker.terminate();
                    assertThrows(FiberTerminatedException.class, asker::await);
                });
        go.set(true);
        assertEquals(CordDump.State.COMPLETE, cord.dump(DAY).state());
        Runs.checkAndClose(cord);
    }

    /** What the other JVM runs. */
    static final class Traced {
        private Traced() {}

        public static void main(String[] args) {
            Runs.real(StackKind.VIRTUAL_THREAD, new Reports(), CordDumpTest::checkTwoCalls);
        }
    }

    /**
     * The JDK hands a thread that can run to its scheduler once more after its trace was taken: a
     * second task for the one call that is over. In another JVM, for only the log would tell.
     */
    @Test
    void F11_traceOfAFiberWhoseCallIsJustOverDoesNotEndItsNextCall()
            throws IOException, InterruptedException {
        String file = "@" + System.getProperty("ropewalk.args.file");
        OtherJvm.Ended ended = OtherJvm.run(List.of(file, "-Dropewalk.checks=true"), Traced.class);
        assertEquals(0, ended.exit(), ended.output());
        assertFalse(ended.output().contains("failed"), ended.output());
    }

    private static void checkTwoCalls() {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        Fiber<?> blocked =
                Fiber.spin(
                        "blocked",
                        () -> {
                            blocksHere(first);
                            blocksHere(second);
                        });
        while (blocked.state() != FiberState.WAITING) {
            Fiber.snooze();
        }
        Cord cord = Cord.current();
        assertEquals("blocked in jdk", find(cord.dump(), "blocked").waitKind());
        assertTrue(isAt(find(cord.dump(), "blocked"), "blocksHere"));
        first.countDown();
        for (int i = 0; i < 3; i++) {
            assertTrue(isAt(find(cord.dump(), "blocked"), "blocksHere"));
        }
        long looks = cord.stats().polls();
        while (cord.stats().polls() < looks + 3) {
            Fiber.snooze();
        }
        assertEquals(FiberState.WAITING, blocked.state());
        second.countDown();
        blocked.await();
    }

    private static void blocksHere(CountDownLatch latch) throws InterruptedException {
        latch.await();
    }

    // ---------------------------------------------------------------- schedulers, misuse

    @Test
    void F15_dumpOfASchedulerTellsOfEachCord() {
        try (Scheduler scheduler = Scheduler.start(SchedulerOptions.named("dumped").withCords(2))) {
            List<Fiber<?>> tasks =
                    List.of(
                            scheduler.spin("one", CordDumpTest::waitsHere),
                            scheduler.spin("two", CordDumpTest::waitsHere));
            Runs.until(() -> tasks.stream().allMatch(t -> t.state() == FiberState.WAITING));
            List<CordDump> dumps = scheduler.dump(DAY);
            assertEquals(
                    scheduler.cords().stream().map(Cord::name).toList(),
                    dumps.stream().map(CordDump::cord).toList());
            List<String> names =
                    dumps.stream()
                            .flatMap(each -> each.fibers().stream())
                            .map(FiberDump::name)
                            .sorted()
                            .toList();
            assertEquals(List.of("one", "root", "root", "two"), names);
            List<CordDump> inside = scheduler.spin("inside", () -> scheduler.dump(DAY)).await();
            assertTrue(
                    inside.stream().allMatch(each -> each.state() == CordDump.State.COMPLETE),
                    inside::toString);
            tasks.forEach(Fiber::terminate);
        }
    }

    @Test
    void misuse_limitsAndPlaces() {
        Cord cord = Cord.start("misused");
        assertThrows(IllegalArgumentException.class, () -> cord.dump(Duration.ofNanos(-1)));
        Cord other = Cord.start("other");
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        CountDownLatch told = new CountDownLatch(1);
        other.post(
                Runs.message(
                        () -> {
                            thrown.set(Runs.failureOf(cord::dump));
                            told.countDown();
                        }));
        Runs.await(told);
        assertTrue(thrown.get() instanceof IllegalStateException, () -> "thrown=" + thrown);
        AtomicReference<@Nullable CordDump> own = new AtomicReference<>();
        CountDownLatch dumped = new CountDownLatch(1);
        other.post(
                Runs.message(
                        () -> {
                            own.set(other.dump());
                            dumped.countDown();
                        }));
        Runs.await(dumped);
        CordDump dump = own.get();
        assertFalse(dump == null || dump.state() != CordDump.State.COMPLETE);
        Runs.checkAndClose(cord);
        Runs.checkAndClose(other);
    }
}
