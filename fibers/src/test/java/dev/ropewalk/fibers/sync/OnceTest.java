package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
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
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Rules F5 to F8: one run, whose result everybody gets. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class OnceTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration FAR = Duration.ofDays(1);
    private static final int CALLERS = 4;

    /** Checks it when the body is done. */
    private static <T extends @Nullable Object> Once<T> made(
            Form form, List<Once<?>> all, Callable<? extends T> block) {
        Once<T> once = form.once(block);
        all.add(once);
        return once;
    }

    @FunctionalInterface
    private interface Play {
        void with(List<Once<?>> made) throws Exception;
    }

    private static void run(Play play) {
        TestCord.run(
                () -> {
                    List<Once<?>> made = new ArrayList<>();
                    play.with(made);
                    for (Once<?> each : made) {
                        each.checkInvariants();
                        assertEquals(0, each.waiting());
                    }
                });
    }

    private static <T> List<Fiber<T>> callers(Once<T> once) {
        List<Fiber<T>> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            callers.add(Fiber.spin(() -> once.get()));
            Crowd.settle();
        }
        return callers;
    }

    @ParameterizedTest
    @EnumSource
    void everybodyGetsTheResultOfTheOneRun(Form form) {
        run(
                made -> {
                    AtomicInteger runs = new AtomicInteger();
                    Once<Integer> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        return runs.incrementAndGet();
                                    });
                    List<Fiber<Integer>> callers = callers(once);
                    assertEquals(CALLERS - 1, once.waiting());
                    assertFalse(once.isDone());
                    for (Fiber<Integer> each : callers) {
                        assertEquals(1, each.await());
                    }
                    assertTrue(once.isDone());
                    assertEquals(1, once.get());
                });
    }

    @ParameterizedTest
    @EnumSource
    void nullIsAResult(Form form) {
        run(
                made -> {
                    AtomicInteger runs = new AtomicInteger();
                    Once<@Nullable Object> once =
                            OnceTest.<@Nullable Object>made(
                                    form,
                                    made,
                                    () -> {
                                        runs.incrementAndGet();
                                        return null;
                                    });
                    assertNull(once.get());
                    assertNull(once.get());
                    assertEquals(1, runs.get());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_failureGoesFreshToAllWhoWaitAndTheNextCallRunsItAgain(Form form) {
        run(
                made -> {
                    Exception own = new Exception("own");
                    AtomicInteger runs = new AtomicInteger();
                    Once<Integer> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        if (runs.incrementAndGet() == 1) {
                                            throw own;
                                        }
                                        return runs.get();
                                    });
                    List<Fiber<Throwable>> callers = new ArrayList<>();
                    for (int i = 0; i < CALLERS; i++) {
                        callers.add(Fiber.spin(() -> Crowd.failureOf(once::get)));
                    }
                    List<Throwable> thrown = Fiber.awaitAll(callers);
                    for (Throwable each : thrown) {
                        Crowd.assertSays(
                                OnceFailedException.class,
                                each,
                                once.toString(),
                                "java.lang.Exception: own");
                        assertSame(own, each.getCause());
                    }
                    assertNotSame(thrown.get(0), thrown.get(1));
                    assertNotSame(thrown.get(1), thrown.get(2));
                    assertEquals(1, runs.get());
                    assertEquals(2, once.get());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_whenTheRunnerIsTerminatedTheNextWhoWaitsRunsIt(Form form) {
        run(
                made -> {
                    List<Fiber<?>> runners = new ArrayList<>();
                    Once<String> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        runners.add(Fiber.current());
                                        Fiber.sleep(SHORT);
                                        return "done";
                                    });
                    List<Fiber<String>> callers = callers(once);
                    callers.get(0).terminate();
                    Crowd.settle();
                    assertEquals(callers.subList(0, 2), runners);
                    callers.get(2).terminate(); // it waits, and is the next no more
                    callers.get(1).terminate();
                    assertEquals("done", callers.get(3).await());
                    assertEquals(List.of(callers.get(0), callers.get(1), callers.get(3)), runners);
                    assertEquals("done", once.get());
                });
    }

    /** The worst moment: it has been made the runner and has not begun. */
    @ParameterizedTest
    @EnumSource
    void F6_nextRunnerThatIsTerminatedBeforeItBeginsPassesItOn(Form form) {
        run(
                made -> {
                    Once<String> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        return "done";
                                    });
                    List<Fiber<String>> callers = callers(once);
                    Fiber.spin(
                            () -> {
                                callers.get(0).awaitEnd(Waits.FOREVER);
                                callers.get(1).terminate();
                            });
                    Crowd.settle();
                    callers.get(0).terminate();
                    assertEquals("done", callers.get(2).await());
                    assertEquals("done", callers.get(3).await());
                    assertTrue(callers.get(1).failure() instanceof FiberTerminatedException);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_cancelledRunnerPassesItOnAndTheNextCallRunsIt(Form form) {
        run(
                made -> {
                    AtomicInteger runs = new AtomicInteger();
                    Once<Integer> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        return runs.incrementAndGet();
                                    });
                    assertFalse(CancelScope.moveOnAfter(SHORT.dividedBy(2), () -> once.get()));
                    assertEquals(0, runs.get());
                    once.checkInvariants();
                    assertEquals(1, once.get());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_errorIsTheRunnersOwn(Form form) {
        run(
                made -> {
                    Error own = new AssertionError("own");
                    AtomicInteger runs = new AtomicInteger();
                    Once<Integer> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        if (runs.incrementAndGet() == 1) {
                                            throw own;
                                        }
                                        return runs.get();
                                    });
                    Fiber<Throwable> first = Fiber.spin(() -> Crowd.failureOf(once::get));
                    Crowd.settle();
                    assertEquals(2, once.get());
                    assertSame(own, first.await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_waiterThatLeavesTakesNothing(Form form) {
        run(
                made -> {
                    Once<String> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        return "done";
                                    });
                    List<Fiber<String>> callers = callers(once);
                    assertFalse(CancelScope.moveOnAfter(Duration.ofMillis(1), () -> once.get()));
                    callers.get(2).terminate();
                    Crowd.settle();
                    assertEquals(2, once.waiting());
                    assertEquals("done", callers.get(3).await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_limitEndsTheWaitAndNotTheRun(Form form) {
        run(
                made -> {
                    AtomicInteger runs = new AtomicInteger();
                    Once<Integer> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        return runs.incrementAndGet();
                                    });
                    Fiber<Integer> runner = Fiber.spin(() -> once.get(SHORT.dividedBy(2)));
                    Crowd.settle();
                    long before = Form.now();
                    Throwable thrown = Crowd.failureOf(() -> once.get(SHORT.dividedBy(4)));
                    assertEquals(SHORT.dividedBy(4).toNanos(), Form.now() - before);
                    Crowd.assertSays(
                            FiberTimeoutException.class, thrown, once.toString(), "PT0.025S");
                    assertEquals(0, once.waiting());
                    assertEquals(1, once.get(SHORT));
                    assertEquals(1, runner.await(), "who runs it has no limit");
                    assertEquals(1, once.get(Duration.ZERO));
                });
    }

    /** Who runs it by then has no limit any more. */
    @ParameterizedTest
    @EnumSource
    void F6_waiterWithALimitThatGetsTheRunFinishesIt(Form form) {
        run(
                made -> {
                    Once<String> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        return "done";
                                    });
                    Fiber<String> first = Fiber.spin(() -> once.get());
                    Crowd.settle();
                    Fiber<String> next = Fiber.spin(() -> once.get(SHORT.dividedBy(2)));
                    Crowd.settle();
                    first.terminate();
                    assertEquals("done", next.await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_negativeLimit(Form form) {
        run(
                made -> {
                    Once<Integer> once = made(form, made, () -> 1);
                    Crowd.assertSays(
                            IllegalArgumentException.class,
                            Crowd.failureOf(() -> once.get(Duration.ofNanos(-1))),
                            "negative");
                    assertFalse(once.isDone());
                });
    }

    @Test
    void F8_limitOfAPlainThread() {
        Semaphore gate = Semaphore.shared(0, 1);
        Once<String> once =
                Once.shared(
                        () -> {
                            gate.acquire();
                            return "done";
                        });
        ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        Thread runner = Crowd.thread(thrown, once::get);
        Crowd.until(() -> gate.waiting() == 1);
        Crowd.join(Crowd.thread(thrown, () -> once.get(Duration.ofMillis(1))));
        assertEquals(1, thrown.size());
        Crowd.assertSays(FiberTimeoutException.class, thrown.remove(), once.toString());
        assertEquals(0, once.waiting());
        gate.release();
        assertEquals("done", once.get(Duration.ofSeconds(10)));
        Crowd.join(runner);
        assertTrue(thrown.isEmpty());
        once.checkInvariants();
    }

    @ParameterizedTest
    @EnumSource
    void F7_abandonedRunnerIsReportedAndTheNextRunsIt(Form form) {
        run(
                made -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    TestCord.expectUncaught(IllegalStateException.class);
                    AtomicInteger runs = new AtomicInteger();
                    Once<Integer> once =
                            made(
                                    form,
                                    made,
                                    () -> {
                                        if (runs.incrementAndGet() == 1) {
                                            CancelScope.shielded(FAR, () -> Fiber.sleep(FAR));
                                        }
                                        return runs.get();
                                    });
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(() -> once.get());
                                        Fiber.suspend();
                                    });
                    Crowd.settle();
                    Fiber<Integer> next = Fiber.spin(() -> once.get());
                    Crowd.settle();
                    parent.terminate();
                    assertEquals(2, next.await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_callFromInsideItsOwnBlock(Form form) {
        run(
                made -> {
                    List<Once<Integer>> own = new ArrayList<>();
                    own.add(made(form, made, () -> own.getFirst().get() + 1));
                    Throwable thrown = Crowd.failureOf(() -> own.getFirst().get());
                    Crowd.assertSays(OnceFailedException.class, thrown);
                    Crowd.assertSays(
                            DeadlockException.class,
                            thrown.getCause() == null ? thrown : thrown.getCause(),
                            "fiber root on cord test runs " + own.getFirst(),
                            "wait for itself");
                });
    }

    @ParameterizedTest
    @EnumSource
    void callThatNeedNotWaitIsNoSwitchpoint(Form form) {
        run(
                made -> {
                    List<String> log = new ArrayList<>();
                    Fiber.spin(() -> log.add("other"));
                    Once<Integer> once = made(form, made, () -> 1);
                    assertEquals(1, once.get());
                    assertEquals(1, once.get());
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void misuse_localFromAnotherThread() {
        TestCord.run(
                () -> {
                    Once<Integer> local = Once.local(() -> 1);
                    Action wrong = local::get;
                    for (int i = 0; i < 2; i++) {
                        Crowd.assertSays(
                                WrongThreadException.class,
                                Crowd.failureOnAThread(wrong),
                                local.toString(),
                                "Once.shared(block)");
                        assertEquals(1, local.get());
                    }
                });
    }

    @Test
    void F8_interruptedRunnerOnAThreadPassesItOn() {
        Semaphore none = Semaphore.shared(0, 1);
        AtomicInteger runs = new AtomicInteger();
        Once<Integer> once =
                Once.shared(
                        () -> {
                            if (runs.incrementAndGet() == 1) {
                                none.acquire();
                            }
                            return runs.get();
                        });
        ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        Thread first = Crowd.thread(thrown, once::get);
        Crowd.until(() -> none.waiting() == 1);
        ConcurrentLinkedQueue<Integer> results = new ConcurrentLinkedQueue<>();
        Thread second = Crowd.thread(thrown, () -> results.add(once.get()));
        Crowd.until(() -> once.waiting() == 1);
        first.interrupt();
        Crowd.join(first);
        Crowd.join(second);
        assertEquals(1, thrown.size());
        Crowd.assertSays(WaitInterruptedException.class, thrown.remove());
        assertEquals(2, results.remove());
        once.checkInvariants();
    }

    // ---------------------------------------------------------------- random

    @ParameterizedTest
    @EnumSource
    void F5_oneRunSucceedsAndAllGetItsResult(Form form) {
        TestCord.run(() -> dayOnOneCord(form, 1, 20));
        for (long seed = 0; seed < 30; seed++) {
            long own = seed;
            TestCord.run(seed, true, () -> dayOnOneCord(form, own, 10));
        }
    }

    @Test
    void F8_oneRunSucceedsAcrossCordsAndThreads() {
        dayEverywhere(1, 300);
    }

    @Test
    @Tag("stress")
    void F8_oneRunSucceedsUnderStress() {
        for (long seed = 2; seed < 12; seed++) {
            dayEverywhere(seed, 2_000);
        }
    }

    /** Several, which fail at first, and of which each may succeed once, run by one at a time. */
    private static final class Many {
        private final List<Once<Integer>> onces = new ArrayList<>();
        private final List<AtomicInteger> succeeded = new ArrayList<>();

        Many(Form form, int count, long seed) {
            SplittableRandom seeds = new SplittableRandom(seed);
            for (int i = 0; i < count; i++) {
                int own = i;
                SplittableRandom random = seeds.split();
                AtomicInteger inside = new AtomicInteger();
                AtomicInteger success = new AtomicInteger();
                succeeded.add(success);
                onces.add(
                        form.once(
                                () -> {
                                    assertEquals(1, inside.incrementAndGet(), "runs at once");
                                    try {
                                        Crowd.giveWay(random);
                                        if (random.nextInt(4) != 0) {
                                            throw new Exception("wanted");
                                        }
                                        assertEquals(1, success.incrementAndGet(), "successes");
                                        return own;
                                    } finally {
                                        inside.decrementAndGet();
                                    }
                                }));
            }
        }

        void step(SplittableRandom random) {
            int i = random.nextInt(onces.size());
            Once<Integer> once = onces.get(i);
            try {
                if (random.nextInt(3) == 0 && Fiber.currentOrNull() != null) {
                    CancelScope.moveOnAfter(Crowd.shortLimit(random), () -> once.get());
                } else if (random.nextInt(3) == 0) {
                    assertEquals(i, once.get(Crowd.shortLimit(random)));
                } else {
                    assertEquals(i, once.get());
                }
            } catch (FiberTimeoutException wanted) {
                assertTrue(wanted.toString().contains(once.toString()), wanted::toString);
            } catch (OnceFailedException wanted) {
                assertFalse(wanted.getCause() instanceof RuntimeException, wanted::toString);
            }
        }

        void judge() {
            for (int i = 0; i < onces.size(); i++) {
                Once<Integer> once = onces.get(i);
                once.checkInvariants();
                assertEquals(0, once.waiting());
                assertEquals(once.isDone() ? 1 : 0, succeeded.get(i).get());
            }
        }
    }

    private static void dayOnOneCord(Form form, long seed, int rounds) {
        Many many = new Many(form, rounds * 2, seed);
        Crowd.onThisCord(seed, rounds, many::step);
        many.judge();
    }

    private static void dayEverywhere(long seed, int rounds) {
        Many many = new Many(Form.SHARED, rounds, seed);
        Crowd.everywhere(seed, rounds, many::step);
        many.judge();
    }

    /** An interrupt is the runner's own affair, and no failure of the block. */
    @ParameterizedTest
    @EnumSource
    void sync_runnerThatIsInterruptedInItsBlockPassesTheRunOn(Form form) {
        TestCord.run(
                () -> {
                    boolean[] isFirst = {true};
                    Once<String> once =
                            form.once(
                                    () -> {
                                        if (isFirst[0]) {
                                            isFirst[0] = false;
                                            Fiber.sleep(Form.SHORT);
                                            throw new InterruptedException("own");
                                        }
                                        return "result";
                                    });
                    Fiber<Throwable> runner = Fiber.spin(() -> Form.failureOf(once::get));
                    Form.settle();
                    Fiber<String> next = Fiber.spin(() -> once.get());
                    assertEquals("result", next.await());
                    assertEquals("own", runner.await().getMessage());
                });
    }
}
