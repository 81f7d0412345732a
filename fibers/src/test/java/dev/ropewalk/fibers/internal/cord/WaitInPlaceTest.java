package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.fiber.WaitSlot;
import dev.ropewalk.fibers.internal.io.CordIo;
import dev.ropewalk.fibers.internal.platform.IdleSpin;
import dev.ropewalk.fibers.internal.watch.Ticker;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Rules F2 and F8: a fiber that waits may look for its value on its own stack, where its cord has
 * nothing else to do. The cord of these tests has no ticker, so nothing but what a test does ends a
 * wait in place; it is made so long that it outlasts the test.
 */
@Tag("needs-flags") // light stacks
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitInPlaceTest {
    private static final long LIMIT = 1_000_000;

    private final Reports reports = new Reports();
    private final CordImpl cord = CordImpl.of(Runs.started("waits", reports));
    private final WaitInPlace inPlace = cord.mount.inPlace;

    @BeforeEach
    void begin() {
        assumeTrue(IdleSpin.CAN_SPIN, "a single processor: no cord spins");
        onCord(
                () -> {
                    Ticker.INSTANCE.remove(cord);
                    Fiber.snooze();
                    cord.loop.pollInTurn();
                    return null;
                });
    }

    @AfterEach
    void end() {
        if (cord.isAlive()) {
            Runs.checkAndClose(cord);
        }
        reports.assertNone();
    }

    /** Without a message of this thread behind that of the start, as an await would send one. */
    private <T extends @Nullable Object> T onCord(Callable<T> code) {
        FutureTask<T> task = new FutureTask<>(code);
        cord.spin("test", task::run);
        try {
            return task.get();
        } catch (InterruptedException | ExecutionException failed) {
            throw new AssertionError("on " + cord, failed);
        }
    }

    /** Whether a fiber may begin: its value is there already, and the first look sees it. */
    private static boolean mayBegin() {
        WaitSlot given = new WaitSlot();
        given.give("value");
        return CordImpl.current().mount.inPlace.isGiven(given);
    }

    /** A fiber in place in {@code await}; the latch opens just before. */
    private Fiber<@Nullable Object> inPlace(AtomicReference<@Nullable WaitCell> place) {
        CountDownLatch begun = new CountDownLatch(1);
        Fiber<@Nullable Object> fiber =
                cord.spin(
                        "in place",
                        () -> {
                            inPlace.looks = Integer.MAX_VALUE;
                            WaitCell cell = new WaitCell();
                            place.set(cell);
                            begun.countDown();
                            return cell.await("a value");
                        });
        Runs.await(begun);
        return fiber;
    }

    private static WaitCell cell(AtomicReference<@Nullable WaitCell> place) {
        WaitCell made = place.get();
        if (made == null) {
            throw new AssertionError("no cell was made");
        }
        return made;
    }

    // ---------------------------------------------------------------- that it begins, and where
    // not

    @Test
    void F2_beginsWhereTheCordHasNothingElseToDo() {
        assertTrue(onCord(WaitInPlaceTest::mayBegin));
    }

    @Test
    void F1_notBesideARunnableFiber() {
        List<Boolean> begun = new ArrayList<>();
        onCord(
                () -> {
                    Fiber<?> other = Fiber.spin(() -> begun.add(true));
                    begun.add(mayBegin());
                    return other.await();
                });
        assertEquals(List.of(false, true), begun);
    }

    @Test
    void F8_notBesideAMessage() {
        boolean begun =
                onCord(
                        () -> {
                            cord.post(Runs.message(() -> {}));
                            return mayBegin();
                        });
        assertFalse(begun);
    }

    @Test
    void F6_notWithAnExceptionPending() {
        boolean begun =
                onCord(
                        () -> {
                            Fiber.current().raise(new Exception("raised"));
                            boolean may = mayBegin();
                            Runs.failureOf(Fiber::suspend);
                            return may;
                        });
        assertFalse(begun);
    }

    @Test
    void F2_notWhenAPollIsDue() {
        List<Boolean> begun = new ArrayList<>();
        onCord(
                () -> {
                    cord.loop.untilPoll = 1;
                    begun.add(mayBegin());
                    cord.loop.untilPoll = 2;
                    begun.add(mayBegin());
                    begun.add(mayBegin());
                    cord.loop.pollInTurn();
                    cord.loop.mark();
                    begun.add(mayBegin());
                    return null;
                });
        assertEquals(List.of(false, true, false, false), begun);
    }

    @Test
    void F2_notBesideAReactor() {
        CordIo.reactorOf(cord).join();
        assertFalse(onCord(WaitInPlaceTest::mayBegin));
    }

    /** Rule F15: tasks come when no fiber is runnable. */
    @Test
    void F15_notBesideATask() {
        Scheduler scheduler = Runs.scheduler(StackKind.LIGHT, 1, reports);
        List<Boolean> begun = new ArrayList<>();
        scheduler
                .spin(
                        () -> {
                            Fiber<?> task = scheduler.spin(() -> begun.add(true));
                            begun.add(mayBegin());
                            task.await();
                        })
                .await();
        scheduler.close();
        assertEquals(List.of(false, true), begun);
    }

    /** A turn that waits leaves its worker at once: otherwise these limits would never pass. */
    @Test
    void A1_notInAHandlersTurn() {
        List<@Nullable Object> results = new ArrayList<>();
        onCord(
                () -> {
                    inPlace.looks = Integer.MAX_VALUE;
                    Fiber<?> handler =
                            cord.spinHandler(
                                    "handler",
                                    _ -> {
                                        results.add(new WaitCell().await("nothing", LIMIT));
                                        Fiber.sleep(Duration.ofNanos(LIMIT));
                                        results.add(Fiber.suspend());
                                        return Handler.END;
                                    });
                    Fiber.sleep(Duration.ofNanos(8 * LIMIT));
                    Runs.snoozeUntil(() -> handler.state() == FiberState.WAITING);
                    handler.schedule("value");
                    return handler.await();
                });
        assertEquals(List.of(Waits.TIMED_OUT, "value"), results);
    }

    @Test
    void F14_notOnAVirtualClock() {
        Runs.inAnyOrder(() -> assertFalse(mayBegin()));
    }

    @Test
    void F11_notOnOtherKindsOfStacks() {
        for (StackKind stacks : StackKind.values()) {
            if (stacks != StackKind.LIGHT && stacks.isAvailable()) {
                Cord other =
                        Cord.start(
                                CordOptions.named("other")
                                        .withStacks(stacks)
                                        .withUncaught(reports));
                assertFalse(Runs.onCord(other, WaitInPlaceTest::mayBegin), stacks.name());
                Runs.checkAndClose(other);
            }
        }
    }

    @Test
    void F2_afterMissesOnlySeldomUntilOneSucceeds() {
        List<Integer> begun = new ArrayList<>();
        onCord(
                () -> {
                    for (int i = 0; i < WaitInPlace.MAX_MISSES; i++) {
                        assertFalse(inPlace.isGiven(new WaitSlot()));
                    }
                    for (int i = 1; i <= WaitInPlace.SELDOM + 2; i++) {
                        if (mayBegin()) {
                            begun.add(i);
                        }
                    }
                    return null;
                });
        int first = WaitInPlace.SELDOM;
        assertEquals(List.of(first, first + 1, first + 2), begun);
    }

    // ---------------------------------------------------------------- waits for a value

    /** The claim alone ends it; the wake-up that comes later ends no other wait. */
    @Test
    void F8_claimIsSeenInPlace() {
        AtomicReference<@Nullable WaitCell> place = new AtomicReference<>();
        Fiber<@Nullable Object> fiber = inPlace(place);
        assertTrue(cell(place).claim("value"));
        assertEquals("value", fiber.await());
        Fiber<@Nullable Object> next = inPlace(new AtomicReference<>());
        cell(place).wake();
        cord.post(Runs.message(() -> inPlace.looks = 0)); // ends the wait in place
        next.terminate();
        assertThrows(FiberTerminatedException.class, next::await);
    }

    @Test
    void F8_terminationEndsAWaitInPlaceAndNothingIsTaken() {
        AtomicReference<@Nullable WaitCell> place = new AtomicReference<>();
        Fiber<@Nullable Object> fiber = inPlace(place);
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertFalse(cell(place).give("late"));
    }

    @Test
    void F8_closingTheCordEndsAWaitInPlace() {
        AtomicReference<@Nullable WaitCell> place = new AtomicReference<>();
        Fiber<@Nullable Object> fiber = inPlace(place);
        cord.close();
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertFalse(cell(place).give("late"));
    }

    @Test
    void F8_valueAfterAWaitInPlaceInVainWakesTheFiber() {
        AtomicReference<@Nullable WaitCell> place = new AtomicReference<>();
        Fiber<@Nullable Object> fiber = inPlace(place);
        CountDownLatch left = new CountDownLatch(1);
        cord.post(Runs.message(left::countDown)); // it has left its stack by then
        Runs.await(left);
        assertTrue(cell(place).give("value"));
        assertEquals("value", fiber.await());
    }

    @Test
    void F8_ofTwoGiversOneGives() throws InterruptedException {
        AtomicReference<@Nullable WaitCell> place = new AtomicReference<>();
        Fiber<@Nullable Object> fiber = inPlace(place);
        AtomicInteger given = new AtomicInteger();
        List<Thread> givers = new ArrayList<>();
        for (int i = 1; i <= 2; i++) {
            int value = i;
            givers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        if (cell(place).give(value)) {
                                            given.addAndGet(value);
                                        }
                                    }));
        }
        for (Thread each : givers) {
            each.join();
        }
        assertEquals(given.get(), fiber.await());
    }

    @Test
    void F8_deadlineComesAfterTheWaitInPlaceAndIsNotEarly() {
        long tookNs =
                onCord(
                        () -> {
                            WaitCell cell = new WaitCell();
                            long beganNs = cord.nanoTime();
                            assertSame(Waits.TIMED_OUT, cell.await("nothing", LIMIT));
                            long overNs = cord.nanoTime();
                            assertFalse(cell.give("late"));
                            return overNs - beganNs;
                        });
        assertTrue(tookNs >= LIMIT, "tookNs=" + tookNs);
    }

    /** Otherwise a wait in place would make it longer: this one would last for ever. */
    @Test
    void F8_shortLimitDoesNotWaitInPlace() {
        Object result =
                onCord(
                        () -> {
                            inPlace.looks = Integer.MAX_VALUE;
                            return new WaitCell().await("nothing", LIMIT / 100);
                        });
        assertSame(Waits.TIMED_OUT, result);
    }

    /** The giver is a fiber of the same cord, and cannot run before the waiter leaves its stack. */
    @Test
    void F8_fiberOfTheSameCordGives() {
        Object result =
                onCord(
                        () -> {
                            WaitCell cell = new WaitCell();
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(Duration.ofNanos(LIMIT));
                                        cell.give("value");
                                    });
                            Fiber.snooze();
                            return cell.await("a value");
                        });
        assertEquals("value", result);
    }

    // ---------------------------------------------------------------- suspend

    /** A poll would show that the fiber left its stack. */
    @Test
    void F8_scheduleIsTakenInPlace() {
        CountDownLatch begun = new CountDownLatch(1);
        Fiber<@Nullable Object> fiber =
                cord.spin(
                        "in place",
                        () -> {
                            inPlace.looks = Integer.MAX_VALUE;
                            long polls = cord.loop.polls();
                            begun.countDown();
                            Object value = Fiber.suspend();
                            assertEquals(polls, cord.loop.polls());
                            return value;
                        });
        Runs.await(begun);
        fiber.schedule("value");
        assertEquals("value", fiber.await());
    }

    @Test
    void F8_nullIsScheduledInPlace() {
        CountDownLatch begun = new CountDownLatch(1);
        Fiber<@Nullable Object> fiber =
                cord.spin(
                        "in place",
                        () -> {
                            inPlace.looks = Integer.MAX_VALUE;
                            begun.countDown();
                            return Fiber.suspend();
                        });
        Runs.await(begun);
        fiber.schedule(null);
        assertNull(fiber.await());
    }

    /** Messages keep their order: the other fiber was scheduled first, and runs first. */
    @Test
    void F1_anotherFibersMessageThatCameFirstIsNotOvertaken() {
        List<String> ran = new ArrayList<>();
        Fiber<?> other =
                cord.spin(
                        "other",
                        () -> {
                            Fiber.suspend();
                            ran.add("other");
                        });
        CountDownLatch begun = new CountDownLatch(1);
        Fiber<?> fiber =
                cord.spin(
                        "in place",
                        () -> {
                            inPlace.looks = Integer.MAX_VALUE;
                            begun.countDown();
                            Fiber.suspend();
                            ran.add("in place");
                        });
        Runs.await(begun);
        other.schedule(null);
        fiber.schedule(null);
        fiber.await();
        other.await();
        assertEquals(List.of("other", "in place"), ran);
    }

    @Test
    void F8_terminationEndsASuspendInPlace() {
        CountDownLatch begun = new CountDownLatch(1);
        Fiber<@Nullable Object> fiber =
                cord.spin(
                        "in place",
                        () -> {
                            inPlace.looks = Integer.MAX_VALUE;
                            begun.countDown();
                            return Fiber.suspend();
                        });
        Runs.await(begun);
        fiber.terminate();
        fiber.schedule("late");
        assertThrows(FiberTerminatedException.class, fiber::await);
    }
}
