package dev.ropewalk.fibers.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;

/** Supervised fibers: how they end with their supervisor, here and on other cords. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SupervisorEndTest extends SupervisorTests {
    // ---------------------------------------------------------------- the end

    @Test
    void endIsInReverseOrderEachAwaitedBeforeTheNext() {
        inAnyOrder(
                () -> {
                    boolean done =
                            CancelScope.moveOnAfter(
                                    SECOND,
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(RestartRule.PERMANENT),
                                                    s -> {
                                                        for (String name : List.of("a", "b", "c")) {
                                                            s.spin(name, () -> slowly(name));
                                                        }
                                                    }));
                    assertFalse(done);
                    assertEquals(List.of("c ends", "c", "b ends", "b", "a ends", "a"), log);
                });
    }

    private void slowly(String name) {
        try {
            Fiber.sleep(FAR);
        } finally {
            log.add(name + " ends");
            CancelScope.shielded(SECOND, () -> Fiber.sleep(Duration.ofMillis(100)));
            log.add(name);
        }
    }

    @Test
    void whoDoesNotEndWithinTheStopLimitIsAbandonedWithAReport() {
        Runs.fifo(
                () -> {
                    log.clear();
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    long before = now();
                    CancelScope.moveOnAfter(
                            SECOND,
                            () ->
                                    FiberSupervisor.run(
                                            rules(RestartRule.PERMANENT).withStopLimit(SECOND),
                                            s -> {
                                                s.spin("first", () -> service("first"));
                                                s.spin("stubborn", () -> stubborn());
                                            }));
                    assertEquals(SECOND.multipliedBy(2).toNanos(), now() - before);
                    assertEquals("first ended", log.getFirst());
                    assertTrue(log.get(1).startsWith("stubborn!"), log::toString);
                });
    }

    private static void stubborn() {
        try {
            Fiber.sleep(FAR);
        } finally {
            CancelScope.shielded(FAR, () -> Fiber.sleep(FAR));
        }
    }

    @Test
    void failureOfTheBlockEndsTheFibersAndComesOut() {
        inAnyOrder(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            FiberSupervisor.run(
                                                    rules(RestartRule.PERMANENT),
                                                    s -> {
                                                        s.spin("s", () -> service("s"));
                                                        Runs.settle();
                                                        fail("block");
                                                    }));
                    assertEquals("block", text(thrown));
                    assertEquals(List.of("s ended"), log);
                });
    }

    @Test
    void misuse_afterTheEnd() {
        inAnyOrder(
                () -> {
                    FiberSupervisor[] own = new FiberSupervisor[1];
                    FiberSupervisor.run(rules(RestartRule.TEMPORARY), s -> own[0] = s);
                    assertThrows(IllegalStateException.class, () -> own[0].spin("late", () -> 1));
                });
    }

    @Test
    void misuse_rulesAreChecked() {
        FiberSupervision good = rules(RestartRule.PERMANENT);
        assertThrows(IllegalArgumentException.class, () -> good.withIntensity(-1, SECOND));
        assertThrows(IllegalArgumentException.class, () -> good.withIntensity(1, Duration.ZERO));
        assertThrows(
                IllegalArgumentException.class, () -> good.withStopLimit(Duration.ofNanos(-1)));
    }

    @Test
    void misuse_delaysAreChecked() {
        BackOff good = BackOff.doubling(SECOND, FAR);
        assertThrows(IllegalArgumentException.class, () -> BackOff.doubling(FAR, SECOND));
        assertThrows(IllegalArgumentException.class, () -> good.withFactor(0.5));
        assertThrows(IllegalArgumentException.class, () -> good.withJitter(1.5));
        assertThrows(IllegalArgumentException.class, () -> good.withFactor(Double.NaN));
        assertEquals(FAR.toNanos(), good.withFactor(1e300).delayNs(99, bound -> 0));
    }

    @Test
    void misuse_anotherCord() {
        Cord other = Runs.started("other", reports);
        Runs.real(
                () ->
                        FiberSupervisor.run(
                                rules(RestartRule.TEMPORARY),
                                s -> {
                                    Fiber<?> wrong =
                                            other.spin("wrong", () -> s.spin("child", () -> 1));
                                    Throwable thrown = Runs.failureOf(wrong::await);
                                    assertTrue(Runs.cause(thrown) instanceof WrongThreadException);
                                }));
        Runs.checkAndClose(other);
    }

    // ---------------------------------------------------------------- other cords

    @ParameterizedTest
    @EnumSource
    void F8_fibersOfAnotherCordAreSupervisedToo(StackKind stacks) {
        Cord other = Runs.started("other", reports);
        Flaky near = new Flaky(20);
        Flaky far = new Flaky(20);
        Runs.real(
                stacks,
                reports,
                () ->
                        FiberSupervisor.run(
                                rules(RestartRule.TRANSIENT),
                                s -> {
                                    s.spin("near", near::run);
                                    s.spinOn(other, "far", far::run);
                                }));
        assertEquals(42, log.size());
        Runs.checkAndClose(other);
        reports.assertNone();
    }

    @ParameterizedTest
    @EnumSource
    void F8_cancelledSupervisorEndsTheFibersOfAnotherCord(StackKind stacks) {
        Cord other = Runs.started("other", reports);
        Fiber<@Nullable Object> adopted = other.<@Nullable Object>spin("adopted", callSuspend());
        Runs.real(
                stacks,
                reports,
                () ->
                        CancelScope.moveOnAfter(
                                Duration.ofMillis(20),
                                () ->
                                        FiberSupervisor.run(
                                                rules(RestartRule.PERMANENT),
                                                s -> {
                                                    s.spinOn(other, "far", callSuspend());
                                                    s.adopt(adopted);
                                                })));
        assertEquals(FiberState.DEAD, adopted.state());
        Runs.checkAndClose(other);
        reports.assertNone();
    }

    private static Callable<@Nullable Object> callSuspend() {
        return Fiber::suspend;
    }

    @ParameterizedTest
    @EnumSource
    void fiberOfACordThatHasEndedFailsTheSupervisor(StackKind stacks) {
        Cord other = Runs.started("other", reports);
        Runs.real(
                stacks,
                reports,
                () -> {
                    Fiber<?> far = other.spin("far", callSuspend());
                    assertThrows(
                            CordClosedException.class,
                            () ->
                                    FiberSupervisor.run(
                                            rules(RestartRule.PERMANENT),
                                            s -> {
                                                s.adopt(far);
                                                other.close();
                                            }));
                });
    }

    // ---------------------------------------------------------------- conservation

    /** Every start has one end, every end with result or failure is told once, nothing is left. */
    private void conserve(long seed) {
        int[] counts = new int[2]; // starts, ends of the body
        TestCord.run(
                seed,
                true,
                () -> {
                    log.clear();
                    Random random = new Random(seed);
                    int[] terminated = new int[1];
                    CancelScope.moveOnAfter(
                            Duration.ofMillis(random.nextInt(400)),
                            () ->
                                    FiberSupervisor.run(
                                            rules(RESTARTS.get(random.nextInt(3)))
                                                    .withBackOff(
                                                            BackOff.doubling(
                                                                            Duration.ofMillis(1),
                                                                            SECOND)
                                                                    .withJitter(0.5)),
                                            s -> {
                                                for (int i = 0; i < 10; i++) {
                                                    s.spin(
                                                            "f" + i,
                                                            () -> one(random, counts, terminated));
                                                }
                                            }));
                    String at = "seed=" + seed;
                    assertEquals(counts[0], counts[1], at);
                    assertEquals(counts[0], log.size() + terminated[0], at);
                    assertNull(FiberImpl.current().firstChild(), at);
                });
    }

    private static int one(Random random, int[] counts, int[] terminated) throws Exception {
        counts[0]++;
        // Also one that returns while its termination is pending ends by the termination.
        Fiber.current()
                .onEnd(
                        ended -> {
                            if (ended.failure() instanceof FiberTerminatedException) {
                                terminated[0]++;
                            }
                        });
        try {
            Fiber.sleep(Duration.ofMillis(random.nextInt(50)));
            if (random.nextBoolean()) {
                fail("random");
            }
            return 1;
        } finally {
            counts[1]++;
        }
    }

    @Test
    void everyEndIsToldOnceAndNothingIsLeft() {
        for (long seed = 0; seed < 30; seed++) {
            conserve(seed);
        }
    }

    @Test
    @Tag("stress")
    void everyEndIsToldOnceAndNothingIsLeftManySeeds() {
        for (long seed = 0; seed < 5_000; seed++) {
            conserve(seed);
        }
    }
}
