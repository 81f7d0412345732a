package dev.ropewalk.fibers.coroutine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rules F6 and F16: a coroutine that is closed runs its clean-up, within the stop limit. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CoroutineCloseTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration FAR = Duration.ofDays(1);

    private static Coroutine<String, String> withCleanUp(Action cleanUp) {
        return Coroutine.of(
                "guarded",
                (me, first) -> {
                    try {
                        return me.yield(first);
                    } finally {
                        cleanUp.run();
                    }
                });
    }

    @Test
    void F6_closeRunsTheFinallyBlocksAndWaitsForThem() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> guarded =
                            withCleanUp(
                                    () ->
                                            CancelScope.shielded(
                                                    FAR,
                                                    () -> {
                                                        Fiber.sleep(SHORT);
                                                        log.add("cleaned up");
                                                    }));
                    guarded.resume("");
                    guarded.close();
                    assertEquals(List.of("cleaned up"), log);
                    assertFalse(guarded.isAlive());
                    guarded.close();
                    IllegalStateException dead =
                            assertThrows(IllegalStateException.class, () -> guarded.resume(""));
                    assertTrue(String.valueOf(dead.getMessage()).contains("it was closed"));
                });
    }

    @Test
    void F6_closeOfOneThatHasNotBegunRunsNothing() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> unborn = withCleanUp(() -> log.add("cleaned up"));
                    unborn.close();
                    assertFalse(unborn.isAlive());
                    IllegalStateException dead =
                            assertThrows(IllegalStateException.class, () -> unborn.resume(""));
                    assertTrue(
                            String.valueOf(dead.getMessage()).contains("closed before it began"));
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void F6_closeThrowsWhatTheCleanUpThrows() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    Coroutine<String, String> unchecked =
                            withCleanUp(
                                    () -> {
                                        throw own;
                                    });
                    unchecked.resume("");
                    assertSame(own, Runs.failureOf(unchecked::close));
                    unchecked.close();
                    Coroutine<String, String> checked =
                            withCleanUp(
                                    () -> {
                                        throw new IOException("checked");
                                    });
                    checked.resume("");
                    assertEquals(
                            "checked", Runs.cause(Runs.failureOf(checked::close)).getMessage());
                    Fiber.sleep(SHORT);
                });
    }

    @Test
    void F6_yieldInTheCleanUpIsLeftAgain() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> stubborn =
                            Coroutine.of(
                                    (me, first) -> {
                                        try {
                                            me.yield(first);
                                        } finally {
                                            try {
                                                me.yield("in vain");
                                            } finally {
                                                log.add("left twice");
                                            }
                                        }
                                        return "never";
                                    });
                    stubborn.resume("");
                    stubborn.close();
                    assertEquals(List.of("left twice"), log);
                });
    }

    @Test
    void F6_closeByAFiberThatIsTerminatedItselfStillWaits() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> guarded =
                            withCleanUp(
                                    () ->
                                            CancelScope.shielded(
                                                    FAR,
                                                    () -> {
                                                        Fiber.sleep(SHORT);
                                                        log.add("cleaned up");
                                                    }));
                    Fiber<?> user =
                            Fiber.spin(
                                    () -> {
                                        try (guarded) {
                                            guarded.resume("");
                                            Fiber.suspend();
                                        } finally {
                                            log.add("closed");
                                        }
                                    });
                    Runs.settle();
                    user.terminate();
                    assertThrows(FiberTerminatedException.class, user::await);
                    assertEquals(List.of("cleaned up", "closed"), log);
                });
    }

    @Test
    void F6_whoDoesNotEndWithinTheStopLimitIsAbandoned() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> stuck =
                            withCleanUp(() -> CancelScope.shielded(FAR, () -> Fiber.sleep(FAR)));
                    stuck.resume("");
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    long before = Cord.current().nanoTime();
                    stuck.close();
                    assertEquals(
                            Duration.ofSeconds(5).toNanos(), Cord.current().nanoTime() - before);
                    assertFalse(stuck.isAlive());
                });
    }

    @Test
    void F6_closeTellsWhoWaitsForAnAnswer() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow =
                            Coroutine.of((_, _) -> String.valueOf(Fiber.suspend()));
                    Fiber<Throwable> user = Fiber.spin(() -> Runs.failureOf(() -> slow.resume("")));
                    Runs.settle();
                    slow.close();
                    assertTrue(user.await() instanceof FiberTerminatedException);
                });
    }

    @Test
    void F6_closeOfOneThatOwesDropsTheAnswer() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> echo =
                            Coroutine.of(
                                    (me, first) -> {
                                        Fiber.sleep(SHORT.multipliedBy(2));
                                        return me.yield(first);
                                    });
                    assertFalse(
                            CancelScope.moveOnAfter(
                                    SHORT,
                                    () -> {
                                        echo.resume("a");
                                    }));
                    Fiber.sleep(SHORT.multipliedBy(2));
                    echo.close();
                    assertThrows(IllegalStateException.class, echo::await);
                });
    }

    @Test
    void F6_closeOfWhatHasResumedAnother() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> inner =
                            Coroutine.of((_, _) -> String.valueOf(Fiber.suspend()));
                    Coroutine<String, String> outer =
                            Coroutine.of(
                                    (_, _) -> {
                                        try {
                                            return inner.resume("");
                                        } finally {
                                            log.add("outer left");
                                        }
                                    });
                    Fiber<Throwable> user =
                            Fiber.spin(() -> Runs.failureOf(() -> outer.resume("")));
                    Runs.settle();
                    outer.close();
                    assertEquals(List.of("outer left"), log);
                    assertTrue(user.await() instanceof FiberTerminatedException);
                    assertTrue(inner.isAlive());
                    inner.close();
                });
    }

    @Test
    void F6_twoCloseAtOnce() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> guarded =
                            withCleanUp(
                                    () ->
                                            CancelScope.shielded(
                                                    FAR,
                                                    () -> {
                                                        Fiber.sleep(SHORT);
                                                        throw new IllegalStateException("own");
                                                    }));
                    guarded.resume("");
                    int[] thrown = new int[1];
                    List<Fiber<?>> closers = new ArrayList<>();
                    for (int i = 0; i < 2; i++) {
                        closers.add(
                                Fiber.spin(
                                        () -> {
                                            try {
                                                guarded.close();
                                            } catch (IllegalStateException own) {
                                                thrown[0]++;
                                            }
                                        }));
                    }
                    for (Fiber<?> closer : closers) {
                        closer.await();
                    }
                    assertEquals(1, thrown[0]);
                });
    }
}
