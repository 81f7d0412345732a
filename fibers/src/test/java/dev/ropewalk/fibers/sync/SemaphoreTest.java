package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Rules F5, F6, F8: permits are neither lost nor made, and go first in, first out. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SemaphoreTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration FAR = Duration.ofDays(1);
    private static final int BOUND = 5;

    @FunctionalInterface
    private interface Play {
        void with(Semaphore semaphore) throws Exception;
    }

    private static Action withAll(Form form, Play play) {
        return () -> {
            Semaphore semaphore = form.semaphore(BOUND, BOUND);
            play.with(semaphore);
            semaphore.checkInvariants();
            assertEquals(0, semaphore.waiting());
            assertEquals(BOUND, semaphore.available());
        };
    }

    private static void run(Form form, Play play) {
        TestCord.run(withAll(form, play));
    }

    private static Fiber<@Nullable Void> acquirer(Semaphore semaphore, int n, List<Integer> log) {
        Fiber<@Nullable Void> fiber =
                Fiber.spin(
                        () -> {
                            semaphore.acquire(n);
                            log.add(n);
                        });
        Crowd.settle();
        return fiber;
    }

    @ParameterizedTest
    @EnumSource
    void F5_laterSmallRequestDoesNotOvertakeAnEarlierBigOne(Form form) {
        run(
                form,
                semaphore -> {
                    List<Integer> log = new ArrayList<>();
                    semaphore.acquire(3);
                    acquirer(semaphore, 4, log);
                    acquirer(semaphore, 1, log);
                    assertFalse(semaphore.tryAcquire(1));
                    assertEquals(List.of(), log);
                    assertEquals(2, semaphore.available());
                    assertEquals(2, semaphore.waiting());
                    semaphore.release();
                    assertEquals(List.of(), log);
                    semaphore.release();
                    Crowd.settle();
                    assertEquals(List.of(4), log);
                    semaphore.release();
                    Crowd.settle();
                    assertEquals(List.of(4, 1), log);
                    semaphore.release(5);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_oneReleaseServesAllItSufficesForInOrder(Form form) {
        Crowd.fifo(
                withAll(
                        form,
                        semaphore -> {
                            List<Integer> log = new ArrayList<>();
                            semaphore.acquire(5);
                            acquirer(semaphore, 1, log);
                            acquirer(semaphore, 3, log);
                            acquirer(semaphore, 2, log);
                            semaphore.release(5);
                            assertEquals(1, semaphore.available());
                            assertEquals(1, semaphore.waiting());
                            assertEquals(List.of(), log);
                            Crowd.settle();
                            assertEquals(List.of(1, 3), log);
                            semaphore.release(4);
                            Crowd.settle();
                            assertEquals(List.of(1, 3, 2), log);
                            semaphore.release(2);
                        }));
    }

    @ParameterizedTest
    @EnumSource
    void F5_timedOutWaiterEatsNothing(Form form) {
        run(
                form,
                semaphore -> {
                    semaphore.acquire(5);
                    long before = Cord.current().nanoTime();
                    assertFalse(semaphore.acquire(2, SHORT));
                    assertEquals(SHORT.toNanos(), Cord.current().nanoTime() - before);
                    assertFalse(semaphore.acquire(1, Duration.ZERO));
                    assertEquals(0, semaphore.waiting());
                    semaphore.release(5);
                    assertTrue(semaphore.acquire(5, Duration.ZERO));
                    semaphore.release(5);
                });
    }

    /** What every system without a queue of its own forgets: nobody else serves them. */
    @ParameterizedTest
    @EnumSource
    void F5_whenTheFirstGivesUpThoseBehindAreServed(Form form) {
        run(
                form,
                semaphore -> {
                    List<Integer> log = new ArrayList<>();
                    semaphore.acquire(3);
                    Fiber<Boolean> first = Fiber.spin(() -> semaphore.acquire(5, SHORT));
                    Crowd.settle();
                    acquirer(semaphore, 1, log);
                    acquirer(semaphore, 1, log);
                    acquirer(semaphore, 1, log);
                    assertFalse(first.await());
                    Crowd.settle();
                    assertEquals(List.of(1, 1), log);
                    semaphore.release(3);
                    Crowd.settle();
                    semaphore.release(3);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_whenTheFirstIsTerminatedOrCancelledThoseBehindAreServed(Form form) {
        run(
                form,
                semaphore -> {
                    List<Integer> log = new ArrayList<>();
                    semaphore.acquire(3);
                    Fiber<?> terminated = acquirer(semaphore, 5, log);
                    Fiber<?> cancelled =
                            Fiber.spin(
                                    () ->
                                            assertFalse(
                                                    CancelScope.moveOnAfter(
                                                            SHORT, () -> semaphore.acquire(4))));
                    Crowd.settle();
                    acquirer(semaphore, 2, log);
                    terminated.terminate();
                    Crowd.settle();
                    assertEquals(List.of(), log);
                    cancelled.await();
                    Crowd.settle();
                    assertEquals(List.of(2), log);
                    semaphore.release(5);
                });
    }

    /** The worst moment: it has its permits and has not gone on yet. */
    @ParameterizedTest
    @EnumSource
    void F6_terminatedAfterItWasServedGivesBackWhatItHas(Form form) {
        run(
                form,
                semaphore -> {
                    List<String> log = new ArrayList<>();
                    semaphore.acquire(5);
                    Fiber<?> served =
                            Fiber.spin(
                                    () ->
                                            semaphore.run(
                                                    () -> {
                                                        log.add("served");
                                                        Fiber.snooze();
                                                        log.add("went on");
                                                    }));
                    Crowd.settle();
                    semaphore.release(5);
                    assertEquals(4, semaphore.available());
                    served.terminate();
                    served.awaitEnd(Waits.FOREVER);
                    assertEquals(List.of("served"), log);
                });
    }

    /** A fiber that is abandoned runs no clean-up; the next who comes finds its place. */
    @ParameterizedTest
    @EnumSource
    void F6_abandonedFirstDoesNotBlockTheOthers(Form form) {
        run(
                form,
                semaphore -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    semaphore.acquire(3);
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(
                                                () ->
                                                        CancelScope.shielded(
                                                                FAR, () -> semaphore.acquire(5)));
                                        Fiber.suspend();
                                    });
                    Crowd.settle();
                    parent.terminate();
                    parent.awaitEnd(Waits.FOREVER);
                    assertTrue(semaphore.tryAcquire(2));
                    semaphore.release(5);
                });
    }

    @ParameterizedTest
    @EnumSource
    void callThatNeedNotWaitIsNoSwitchpoint(Form form) {
        run(
                form,
                semaphore -> {
                    List<String> log = new ArrayList<>();
                    Fiber.spin(() -> log.add("other"));
                    assertEquals("result", semaphore.call(() -> "result"));
                    semaphore.acquire();
                    assertTrue(semaphore.tryAcquire(4));
                    semaphore.release(5);
                    semaphore.run(() -> assertEquals(4, semaphore.available()));
                    assertEquals(List.of(), log);
                });
    }

    @ParameterizedTest
    @EnumSource
    void blockThatThrowsReleases(Form form) {
        run(
                form,
                semaphore -> {
                    Exception own = new Exception("own");
                    Throwable thrown =
                            Crowd.failureOf(
                                    () ->
                                            semaphore.run(
                                                    () -> {
                                                        throw own;
                                                    }));
                    assertEquals(own, thrown);
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_releaseBeyondTheBound(Form form) {
        run(
                form,
                semaphore -> {
                    semaphore.acquire(2);
                    Crowd.assertSays(
                            IllegalStateException.class,
                            Crowd.failureOf(() -> semaphore.release(3)),
                            "release of 3 with 3 available",
                            "bound of 5");
                    assertEquals(3, semaphore.available());
                    semaphore.release(2);
                    Semaphore most = form.semaphore(Integer.MAX_VALUE, Integer.MAX_VALUE);
                    Crowd.assertSays(
                            IllegalStateException.class,
                            Crowd.failureOf(() -> most.release(Integer.MAX_VALUE)));
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_numbersOutOfRange(Form form) {
        run(
                form,
                semaphore -> {
                    for (int n : new int[] {0, -1, Integer.MIN_VALUE}) {
                        for (Action wrong :
                                List.<Action>of(
                                        () -> semaphore.acquire(n),
                                        () -> semaphore.tryAcquire(n),
                                        () -> semaphore.release(n))) {
                            Crowd.assertSays(
                                    IllegalArgumentException.class,
                                    Crowd.failureOf(wrong),
                                    "n=" + n,
                                    "at least 1");
                        }
                    }
                    Crowd.assertSays(
                            IllegalArgumentException.class,
                            Crowd.failureOf(() -> semaphore.acquire(6, FAR)),
                            "n=6",
                            "bound of 5");
                    Crowd.assertSays(
                            IllegalArgumentException.class,
                            Crowd.failureOf(() -> semaphore.acquire(1, Duration.ofNanos(-1))));
                    for (int[] made : new int[][] {{0, 0}, {-1, 5}, {6, 5}}) {
                        Crowd.assertSays(
                                IllegalArgumentException.class,
                                Crowd.failureOf(() -> form.semaphore(made[0], made[1])),
                                "permits=" + made[0] + " bound=" + made[1]);
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void permitsMayBeReleasedThatNobodyAcquiredUpToTheBound(Form form) {
        TestCord.run(
                () -> {
                    Semaphore empty = form.semaphore(0, 3);
                    Fiber<@Nullable Void> waiting = acquirer(empty, 3, new ArrayList<>());
                    empty.release(2);
                    empty.release();
                    waiting.await();
                    assertEquals(0, empty.available());
                    empty.checkInvariants();
                });
    }

    @Test
    void misuse_localFromAnotherThread() {
        TestCord.run(
                () -> {
                    Semaphore local = Semaphore.local(1);
                    for (Action wrong :
                            List.<Action>of(
                                    local::acquire,
                                    local::release,
                                    local::available,
                                    () -> local.tryAcquire(1))) {
                        Crowd.assertSays(
                                WrongThreadException.class,
                                Crowd.failureOnAThread(wrong),
                                local.toString(),
                                "Semaphore.shared(...)");
                    }
                });
        Crowd.assertSays(
                IllegalStateException.class, Crowd.failureOf(() -> Semaphore.local(1)), "cord");
    }

    @Test
    void F8_interruptedThreadTakesNothingAndThoseBehindAreServed() {
        Semaphore semaphore = Semaphore.shared(2);
        ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        semaphore.acquire();
        Thread first = Crowd.thread(thrown, () -> semaphore.acquire(2));
        Crowd.until(() -> semaphore.waiting() == 1);
        Thread second = Crowd.thread(thrown, semaphore::acquire);
        Crowd.until(() -> semaphore.waiting() == 2);
        first.interrupt();
        Crowd.join(first);
        Crowd.join(second);
        assertEquals(1, thrown.size());
        Crowd.assertSays(WaitInterruptedException.class, thrown.remove());
        assertEquals(0, semaphore.available());
        semaphore.checkInvariants();
        semaphore.release(2);
    }

    // ---------------------------------------------------------------- random

    @ParameterizedTest
    @EnumSource
    void F5_noPermitIsLostOrMade(Form form) {
        TestCord.run(() -> dayOnOneCord(form, 1, 20));
        for (long seed = 0; seed < 30; seed++) {
            long own = seed;
            TestCord.run(seed, true, () -> dayOnOneCord(form, own, 10));
        }
    }

    @Test
    void F8_noPermitIsLostOrMadeAcrossCordsAndThreads() {
        dayEverywhere(1, 300);
    }

    @Test
    @Tag("stress")
    void F8_noPermitIsLostOrMadeUnderStress() {
        for (long seed = 2; seed < 12; seed++) {
            dayEverywhere(seed, 2_000);
        }
    }

    private static void dayOnOneCord(Form form, long seed, int rounds) {
        Semaphore semaphore = form.semaphore(BOUND, BOUND);
        AtomicInteger held = new AtomicInteger();
        Crowd.onThisCord(
                seed,
                rounds,
                random -> {
                    step(semaphore, held, random);
                    semaphore.checkInvariants();
                });
        judge(semaphore, held);
    }

    private static void dayEverywhere(long seed, int rounds) {
        Semaphore semaphore = Semaphore.shared(BOUND);
        AtomicInteger held = new AtomicInteger();
        Crowd.everywhere(seed, rounds, random -> step(semaphore, held, random));
        judge(semaphore, held);
    }

    private static void step(Semaphore semaphore, AtomicInteger held, SplittableRandom random) {
        int n = 1 + random.nextInt(BOUND);
        if (acquire(semaphore, n, random)) {
            try {
                int now = held.addAndGet(n);
                assertTrue(now <= BOUND, () -> "held=" + now);
                Crowd.giveWay(random);
            } finally {
                held.addAndGet(-n);
                semaphore.release(n);
            }
        }
    }

    private static boolean acquire(Semaphore semaphore, int n, SplittableRandom random) {
        switch (random.nextInt(4)) {
            case 0 -> {
                return semaphore.tryAcquire(n);
            }
            case 1 -> {
                return semaphore.acquire(n, Crowd.shortLimit(random));
            }
            case 2 -> {
                if (Fiber.currentOrNull() != null) {
                    return CancelScope.moveOnAfter(
                            Crowd.shortLimit(random), () -> semaphore.acquire(n));
                }
            }
            default -> {
                // As below.
            }
        }
        semaphore.acquire(n);
        return true;
    }

    private static void judge(Semaphore semaphore, AtomicInteger held) {
        semaphore.checkInvariants();
        assertEquals(0, held.get());
        assertEquals(0, semaphore.waiting());
        assertEquals(BOUND, semaphore.available());
    }
}
