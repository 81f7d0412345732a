package dev.ropewalk.fibers.cancellation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F6: shields, with limits. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ShieldTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);
    private static final Duration FAR = Duration.ofDays(1);

    private static long now() {
        return Cord.current().nanoTime();
    }

    @Test
    void F6_shieldLetsCleanUpWaitInATerminatedFiber() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            CancelScope.shielded(
                                                    LONG,
                                                    () -> {
                                                        Fiber.sleep(SHORT);
                                                        Fiber.snooze();
                                                        log.add("cleaned");
                                                    });
                                            Fiber.snooze();
                                            log.add("not shielded any more");
                                        }
                                    });
                    Runs.settle();
                    long before = now();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("cleaned"), log);
                    assertEquals(SHORT.toNanos(), now() - before);
                });
    }

    @Test
    void F6_shieldIsGoneAfterItsLimit() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber =
                            Fiber.spin(() -> CancelScope.shielded(LONG, () -> Fiber.sleep(FAR)));
                    Fiber.sleep(SHORT);
                    long before = now();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(LONG.minus(SHORT).toNanos(), now() - before);
                });
    }

    @Test
    void F6_limitOfAShieldAloneEndsNothing() {
        Runs.cleanly(
                () -> {
                    long before = now();
                    CancelScope.shielded(SHORT, () -> Fiber.sleep(LONG));
                    assertEquals(LONG.toNanos(), now() - before);
                });
    }

    @Test
    void F6_shieldHoldsOffOuterScopesButNotInnerOnes() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    boolean done =
                            CancelScope.moveOnAfter(
                                    SHORT,
                                    () ->
                                            CancelScope.shielded(
                                                    FAR,
                                                    () -> {
                                                        Fiber.sleep(LONG);
                                                        log.add("slept");
                                                        boolean inner =
                                                                CancelScope.moveOnAfter(
                                                                        SHORT,
                                                                        () -> Fiber.sleep(FAR));
                                                        log.add("inner " + inner);
                                                        Fiber.sleep(SHORT);
                                                        log.add("slept again");
                                                    }));
                    assertTrue(done, "nothing was left to be cancelled after the shield");
                    assertEquals(List.of("slept", "inner false", "slept again"), log);
                });
    }

    @Test
    void F6_raisedFailureWaitsForTheShieldToo() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        CancelScope.shielded(
                                                FAR,
                                                () -> {
                                                    Fiber.sleep(LONG);
                                                    log.add("slept");
                                                });
                                        log.add("left");
                                        Fiber.snooze();
                                        log.add("went on");
                                    });
                    Fiber.sleep(SHORT);
                    fiber.raise(new IllegalStateException("raised"));
                    Throwable thrown = Runs.failureOf(fiber::await);
                    assertTrue(
                            Runs.cause(thrown) instanceof IllegalStateException, thrown::toString);
                    assertEquals(List.of("slept", "left"), log);
                });
    }

    @Test
    void F6_shieldReturnsTheResultOfItsBlock() {
        Runs.inAnyOrder(() -> assertEquals(7, CancelScope.shielded(SHORT, () -> 7)));
    }

    @Test
    void F6_shieldsNestAndTheOuterOneCountsWhenTheInnerIsGone() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () ->
                                            CancelScope.shielded(
                                                    LONG,
                                                    () -> {
                                                        CancelScope.shielded(
                                                                SHORT, () -> Fiber.sleep(FAR));
                                                    }));
                    Runs.settle();
                    long before = now();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(LONG.toNanos() - 1, now() - before);
                });
    }

    @Test
    void F6_shieldOfTheLibraryHoldsOffTheScopesAroundItAlsoInScopesInsideIt() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    boolean done =
                            CancelScope.moveOnAfter(
                                    SHORT,
                                    () -> {
                                        Cancellation.shielded(
                                                FiberImpl.current(), () -> slept(log));
                                        Fiber.snooze();
                                        log.add("never");
                                    });
                    assertEquals(List.of("inner true", "slept"), log);
                    assertFalse(done);
                });
    }

    private static boolean slept(List<String> log) {
        boolean inner = CancelScope.moveOnAfter(FAR, () -> Fiber.sleep(LONG));
        log.add("inner " + inner);
        Fiber.sleep(SHORT);
        log.add("slept");
        return true;
    }
}
