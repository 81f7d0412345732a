package dev.ropewalk.fibers.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rule F14: several cords on one thread, on one clock, in one order that a seed gives. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TestCordsTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final int SEEDS = 60;

    private static String message(Throwable thrown) {
        return String.valueOf(thrown.getMessage());
    }

    private static AssertionError failure(TestCords.Body body) {
        return assertThrows(AssertionError.class, () -> TestCords.run(3, 42, true, body));
    }

    /** What three cords do together that wake, time out and hand on. */
    private static List<String> story(long seed, boolean seededOrder) {
        List<String> log = new ArrayList<>();
        TestCords.run(
                3,
                seed,
                seededOrder,
                cords -> {
                    Mutex mutex = Mutex.shared();
                    List<Fiber<?>> fibers = new ArrayList<>();
                    for (int i = 0; i < 9; i++) {
                        Cord cord = cords.get(i % 3);
                        String name = "f" + i;
                        fibers.add(cord.spin(name, () -> act(cord, name, mutex, log)));
                    }
                    Fiber.awaitAll(fibers);
                });
        return log;
    }

    private static void act(Cord cord, String name, Mutex mutex, List<String> log) {
        long begun = cord.nanoTime();
        for (int step = 0; step < 3; step++) {
            Fiber.sleep(Duration.ofNanos(cord.nextInt(3)));
            mutex.run(Fiber::snooze);
            log.add(name + " at " + (cord.nanoTime() - begun) + " on " + cord);
        }
    }

    @Test
    void F14_sameSeedGivesTheSameRun() {
        Set<List<String>> all = new HashSet<>();
        for (long seed = 1; seed <= 10; seed++) {
            for (boolean seededOrder : new boolean[] {false, true}) {
                List<String> first = story(seed, seededOrder);
                assertEquals(first, story(seed, seededOrder), "seed=" + seed);
                assertEquals(27, first.size());
                all.add(first);
            }
        }
        assertTrue(all.size() > 15, "different runs: " + all.size());
    }

    @Test
    void F14_onlyTheCordThatHasItsTurnIsCurrent() {
        Runs.together(
                3,
                cords -> {
                    assertEquals(List.of(cords.getFirst()), current(cords));
                    for (Cord each : cords) {
                        assertEquals(
                                List.of(each), each.spin("looks", () -> current(cords)).await());
                        List<Cord> inMessage = new ArrayList<>();
                        each.post(Runs.message(() -> inMessage.addAll(current(cords))));
                        Runs.settle();
                        assertEquals(List.of(each), inMessage);
                    }
                    Fiber<?> there = cords.get(1).spin("there", () -> Fiber.suspend());
                    assertThrows(WrongThreadException.class, () -> Waits.resume(there, 0, "value"));
                    there.terminate();
                    there.awaitEnd(DAY);
                });
    }

    private static List<Cord> current(List<Cord> cords) {
        return cords.stream()
                .filter(each -> each.isCurrent() && each == Cord.currentOrNull())
                .toList();
    }

    @Test
    void F14_timeJumpsToTheEarliestTimerOfAll() {
        Runs.together(
                3,
                cords -> {
                    List<String> log = new ArrayList<>();
                    long begun = cords.getFirst().nanoTime();
                    List<Fiber<?>> fibers = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        Cord cord = cords.get(i);
                        Duration time = DAY.multipliedBy(3 - i);
                        fibers.add(
                                cord.spin(
                                        "sleeper",
                                        () -> {
                                            Fiber.sleep(time);
                                            assertEquals(time.toNanos(), cord.nanoTime() - begun);
                                            log.add(time.toString());
                                        }));
                    }
                    Fiber.awaitAll(fibers);
                    assertEquals(List.of("PT24H", "PT48H", "PT72H"), log);
                });
    }

    /** Time stands still, so the loop ends only if the other cord has its turns as well. */
    @Test
    void F14_snoozingInALoopKeepsNoOtherCordOut() {
        Runs.together(
                2,
                cords -> {
                    boolean[] done = new boolean[1];
                    cords.get(1)
                            .spin(
                                    "worker",
                                    () -> {
                                        Runs.snooze(5);
                                        done[0] = true;
                                    });
                    while (!done[0]) {
                        Fiber.snooze();
                    }
                });
    }

    @Test
    void F14_turnsOfCordsComeInAnyOrder() {
        Set<String> seen = new HashSet<>();
        for (long seed = 0; seed < 2_000 && seen.size() < 6; seed++) {
            StringBuilder order = new StringBuilder();
            TestCords.run(
                    3,
                    seed,
                    false,
                    cords -> {
                        Fiber<?> b = cords.get(1).spin("b", () -> order.append('b'));
                        Fiber<?> c = cords.get(2).spin("c", () -> order.append('c'));
                        Fiber.snooze();
                        order.append('a');
                        Fiber.awaitAll(List.of(b, c));
                    });
            seen.add(order.toString());
        }
        assertEquals(Set.of("abc", "acb", "bac", "bca", "cab", "cba"), seen);
    }

    @Test
    void F8_messagesOfASenderKeepTheirOrderAndMixWithThoseOfOthers() {
        Set<List<String>> seen = new HashSet<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            List<String> got = new ArrayList<>();
            TestCords.run(
                    3,
                    seed,
                    true,
                    cords -> {
                        Fiber<?> one = cords.get(1).spin("one", () -> send(cords, "one", got));
                        Fiber<?> two = cords.get(2).spin("two", () -> send(cords, "two", got));
                        Fiber.awaitAll(List.of(one, two));
                        Runs.settle();
                    });
            assertEquals(6, got.size());
            for (String sender : List.of("one", "two")) {
                assertEquals(
                        List.of(sender + 0, sender + 1, sender + 2),
                        got.stream().filter(each -> each.startsWith(sender)).toList());
            }
            seen.add(got);
        }
        assertTrue(seen.size() > 5, seen::toString);
    }

    private static void send(List<Cord> cords, String sender, List<String> got) {
        for (int i = 0; i < 3; i++) {
            String text = sender + i;
            cords.getFirst().post(Runs.message(() -> got.add(text)));
            Fiber.snooze();
        }
    }

    @Test
    void F9_deadlockFailsTheFirstRootAndListsWhoWaitsOnAllCords() {
        AssertionError error =
                failure(
                        cords -> {
                            Mutex mutex = Mutex.shared();
                            mutex.lock();
                            Cord second = cords.get(1);
                            Fiber<?> locker = second.spin("locker", () -> mutex.lock());
                            cords.get(2).spin("awaiter", () -> locker.await()).await();
                        });
        assertTrue(Runs.cause(error) instanceof DeadlockException, error::toString);
        for (String part :
                List.of(
                        "deadlock on cord test-0, cord test-1, cord test-2",
                        "fiber locker on cord test-1 waits: ",
                        "fiber awaiter on cord test-2 waits: the end of fiber locker")) {
            assertTrue(message(error).contains(part), error::toString);
        }
    }

    @Test
    void F9_deadlockOfARootThatCannotBeToldGivesTheRunUp() {
        CordOptions endless =
                CordOptions.named("v")
                        .withClock(new CordOptions.VirtualClock(1, true))
                        .withStopLimit(Waits.FOREVER);
        VirtualCords.Body<@Nullable Object> shielded =
                _ -> {
                    Cancellation.shielded(FiberImpl.current(), () -> Fiber.suspend() == null);
                    return null;
                };
        assertThrows(
                DeadlockException.class,
                () -> VirtualCords.<@Nullable Object>run(endless, 2, shielded));
        VirtualCords.Body<@Nullable Object> ended =
                cords -> {
                    Fiber<?> there =
                            cords.get(1)
                                    .spin(
                                            "stubborn",
                                            () ->
                                                    Cancellation.shielded(
                                                            FiberImpl.current(),
                                                            () -> Fiber.suspend() == null));
                    there.detach();
                    Runs.settle();
                    return null;
                };
        assertThrows(
                DeadlockException.class,
                () -> VirtualCords.<@Nullable Object>run(endless, 2, ended));
    }

    @Test
    void F14_failureNamesTheSeedAndTheCallThatReplaysIt() {
        Exception boom = new Exception("boom");
        AssertionError error =
                failure(
                        _ -> {
                            throw boom;
                        });
        assertSame(boom, Runs.cause(error));
        for (String part :
                List.of("boom", "TestCords.run(3, 42L, true, body)", "-Dropewalk.seed=42")) {
            assertTrue(message(error).contains(part), error::toString);
        }
    }

    @Test
    void F14_failureThatNobodyTakesOnAnyCordFailsTheRun() {
        TestCords.Body body =
                cords -> {
                    Fiber<?> failing =
                            cords.get(1)
                                    .spin(
                                            "failing",
                                            () -> {
                                                Fiber.sleep(DAY);
                                                throw new Exception("boom");
                                            });
                    failing.detach();
                    Fiber.sleep(DAY.multipliedBy(2));
                };
        AssertionError error = failure(body);
        assertTrue(message(error).contains("uncaught in fiber failing"), error::toString);
        TestCords.run(
                3,
                cords -> {
                    TestCord.expectUncaught(FiberFailedException.class);
                    body.run(cords);
                });
    }

    @Test
    void F14_whenTheFirstHasEndedTheOthersAreClosed() {
        for (long seed = 0; seed < SEEDS; seed++) {
            List<String> log = new ArrayList<>();
            TestCords.run(
                    3,
                    seed,
                    true,
                    cords -> {
                        Fiber<?> there = cords.get(2).spin("there", () -> logEnd(log, "detached"));
                        there.detach();
                        cords.get(1).spin("child", () -> logEnd(log, "child"));
                        Runs.settle();
                        log.add("body");
                    });
            assertEquals(List.of("body", "child", "detached"), log, "seed=" + seed);
        }
    }

    private static void logEnd(List<String> log, String what) {
        try {
            Fiber.suspend();
        } finally {
            CancelScope.shielded(DAY, () -> Fiber.sleep(Duration.ofMillis(1)));
            log.add(what);
        }
    }

    @Test
    void F8_cordThatIsClosedInTheMiddleRefusesWhatComesLater() {
        for (long seed = 0; seed < SEEDS; seed++) {
            TestCords.run(
                    3,
                    seed,
                    true,
                    cords -> {
                        Cord closed = cords.get(1);
                        Fiber<?> there = closed.spin("there", () -> Fiber.suspend());
                        Fiber<?> closer = cords.get(2).spin("closer", () -> closed.close());
                        Throwable refused = null;
                        while (refused == null) {
                            refused = lateFailure(closed);
                        }
                        assertTrue(
                                refused instanceof CordClosedException
                                        || refused.getCause() instanceof CordClosedException
                                        || refused instanceof FiberTerminatedException,
                                refused::toString);
                        closer.await();
                        assertTrue(closed.awaitEnd(Duration.ZERO));
                        assertTrue(lateFailure(closed) instanceof CordClosedException);
                        assertTrue(there.failure() instanceof FiberTerminatedException);
                    });
        }
    }

    private static @Nullable Throwable lateFailure(Cord cord) {
        try {
            cord.spin("late", () -> {}).await();
            return null;
        } catch (RuntimeException refused) {
            return refused;
        }
    }

    @Test
    void misuse_waitingAsNoFiberIsAnErrorAndNoHang() {
        List<Throwable> thrown = new ArrayList<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            TestCords.run(
                    2,
                    seed,
                    true,
                    cords -> {
                        Fiber<?> there = cords.get(1).spin("there", () -> Fiber.suspend());
                        there.detach();
                        Runs.settle(); // the root ends at once: the message is taken, or refused
                        cords.getFirst().post(new Waiting(there, thrown));
                    });
        }
        assertEquals(SEEDS, thrown.size());
        for (Throwable each : thrown) {
            assertTrue(each instanceof IllegalStateException, each::toString);
            assertTrue(message(each).contains("cannot wait here"), each::toString);
        }
        assertTrue(thrown.stream().anyMatch(each -> message(each).contains("drives virtual")));
        assertFalse(thrown.stream().allMatch(each -> message(each).contains("drives virtual")));
    }

    /** Waits for the fiber, on its cord or when it is refused. */
    private static final class Waiting extends CordMessage {
        private final Fiber<?> fiber;
        private final List<Throwable> thrown;

        Waiting(Fiber<?> fiber, List<Throwable> thrown) {
            this.fiber = fiber;
            this.thrown = thrown;
        }

        @Override
        public void onCord() {
            thrown.add(Runs.failureOf(fiber::await));
        }

        @Override
        public void onClosed() {
            thrown.add(Runs.failureOf(fiber::await));
        }
    }

    @Test
    void misuse_optionsThatDoNotFit() {
        VirtualCords.Body<@Nullable Object> none = _ -> null;
        CordOptions real = CordOptions.named("v");
        CordOptions virtual = real.withClock(new CordOptions.VirtualClock(1, true));
        for (Action each :
                List.<Action>of(
                        () -> VirtualCords.<@Nullable Object>run(real, 2, none),
                        () -> VirtualCords.<@Nullable Object>run(virtual, 0, none),
                        () ->
                                VirtualCords.<@Nullable Object>run(
                                        virtual.withThreadFactory(Thread::new), 2, none),
                        () -> TestCords.run(0, _ -> {}))) {
            assertThrows(IllegalArgumentException.class, each::run);
        }
        Runs.inAnyOrder(
                () ->
                        assertThrows(
                                IllegalStateException.class,
                                () -> VirtualCords.<@Nullable Object>run(virtual, 2, none)));
        assertThrows(IllegalStateException.class, VirtualCords::living);
    }

    @Test
    void misuse_firstCordCannotBeClosedFromAnother() {
        Runs.together(
                2,
                cords -> {
                    Fiber<Throwable> closer =
                            cords.get(1)
                                    .spin(
                                            "closer",
                                            () -> Runs.failureOf(() -> cords.getFirst().close()));
                    assertTrue(closer.await() instanceof IllegalStateException);
                });
    }

    @Test
    void F14_livingAreThoseBelowTheCallerAndTheOtherCords() {
        Runs.together(
                3,
                cords -> {
                    assertEquals(List.of(), VirtualCords.living());
                    Fiber<?> here = Fiber.spin("here", () -> Fiber.suspend());
                    Fiber<?> there = cords.get(1).spin("there", () -> Fiber.suspend());
                    Fiber<?> detached = cords.get(2).spin("detached", () -> Fiber.suspend());
                    detached.detach();
                    Runs.settle();
                    assertEquals(
                            Set.of(here, there, detached), new HashSet<>(VirtualCords.living()));
                    there.terminate();
                    there.awaitEnd(DAY);
                    assertFalse(VirtualCords.living().contains(there));
                });
    }

    @Test
    void F14_resultOfTheBodyIsThatOfTheRun() {
        CordOptions options =
                CordOptions.named("v").withClock(new CordOptions.VirtualClock(7, true));
        List<String> names = new ArrayList<>();
        int result =
                VirtualCords.<Integer>run(
                        options,
                        2,
                        cords -> {
                            cords.forEach(each -> names.add(each.name()));
                            return cords.size();
                        });
        assertEquals(2, result);
        assertEquals(List.of("v-0", "v-1"), names);
        assertNull(Cord.currentOrNull());
    }
}
