package dev.ropewalk.fibers.lifetimes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Joiner;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Rule F7: fibers that live no longer than a block, and the joiners. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ScopeTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);
    private static final Duration FAR = Duration.ofDays(1);

    private static Action failingAfter(Duration time, String message) {
        return () -> {
            Fiber.sleep(time);
            throw new IllegalStateException(message);
        };
    }

    private static String after(Duration time, String value) {
        Fiber.sleep(time);
        return value;
    }

    @Test
    void F7_blockEndsWhenAllItsFibersHave() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    String result =
                            Scope.call(
                                    scope -> {
                                        scope.spin("a", () -> log.add(after(SHORT, "a")));
                                        scope.spin("b", () -> log.add(after(LONG, "b")));
                                        log.add("block");
                                        return "result";
                                    });
                    assertEquals("result", result);
                    assertEquals(List.of("block", "a", "b"), log);
                });
    }

    @Test
    void F7_failureOfOneEndsTheOthersAndTheBlockWhereItWaits() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    long before = Cord.current().nanoTime();
                    FiberFailedException thrown =
                            assertThrows(
                                    FiberFailedException.class,
                                    () ->
                                            Scope.run(
                                                    scope -> {
                                                        scope.spin("bad", failingAfter(SHORT, "x"));
                                                        scope.spin(
                                                                "good",
                                                                () -> {
                                                                    try {
                                                                        Fiber.sleep(FAR);
                                                                    } finally {
                                                                        log.add("good ended");
                                                                    }
                                                                });
                                                        Fiber.sleep(FAR);
                                                        log.add("block went on");
                                                    }));
                    assertEquals("x", Runs.cause(thrown).getMessage());
                    assertEquals(List.of("good ended"), log);
                    assertEquals(SHORT.toNanos(), Cord.current().nanoTime() - before);
                    Fiber.snooze();
                });
    }

    @Test
    void F7_failureThatTheBlockAwaitsIsTheBlocks() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Scope.run(
                            scope -> {
                                Fiber<?> bad = scope.spin("bad", failingAfter(SHORT, "x"));
                                Runs.failureOf(bad::await);
                                log.add("went on");
                            });
                    assertEquals(List.of("went on"), log);
                });
    }

    @Test
    void F7_secondFailureIsSuppressedInTheFirst() {
        Runs.cleanly(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            Scope.run(
                                                    scope -> {
                                                        scope.spin("a", failingAfter(SHORT, "a"));
                                                        scope.spin(
                                                                "b",
                                                                () -> {
                                                                    try {
                                                                        Fiber.sleep(FAR);
                                                                    } finally {
                                                                        failInCleanUp();
                                                                    }
                                                                });
                                                    }));
                    assertEquals("a", Runs.cause(thrown).getMessage());
                    assertEquals(1, thrown.getSuppressed().length);
                });
    }

    private static void failInCleanUp() {
        throw new IllegalStateException("clean-up");
    }

    @Test
    void F7_blockThatThrowsEndsItsFibersFirst() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Exception own = new Exception("own");
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            Scope.run(
                                                    scope -> {
                                                        scope.spin(
                                                                "a",
                                                                () -> {
                                                                    try {
                                                                        Fiber.sleep(FAR);
                                                                    } finally {
                                                                        log.add("ended");
                                                                    }
                                                                });
                                                        Runs.settle();
                                                        throw own;
                                                    }));
                    log.add("thrown");
                    assertSame(own, thrown);
                    assertEquals(List.of("ended", "thrown"), log);
                });
    }

    @Test
    void F7_serviceFibersDoNotKeepItOpenAndEndWithIt() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Scope.run(
                            scope -> {
                                scope.spinService(
                                        "service",
                                        () -> {
                                            try {
                                                Fiber.sleep(FAR);
                                            } finally {
                                                log.add("service ended");
                                            }
                                        });
                                scope.spin("work", () -> log.add(after(SHORT, "work")));
                            });
                    assertEquals(List.of("work", "service ended"), log);
                });
    }

    @Test
    void F7_serviceThatFailsFailsTheScope() {
        Runs.cleanly(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            Scope.join(
                                                    Joiner.all(),
                                                    scope -> {
                                                        scope.spinService(
                                                                "bad", failingAfter(SHORT, "x"));
                                                        scope.spin("good", () -> Fiber.sleep(FAR));
                                                    }));
                    assertEquals("x", Runs.cause(thrown).getMessage());
                });
    }

    @Test
    void F7_joinerAllReturnsTheResultsInTheOrderOfSpinning() {
        Runs.cleanly(
                () -> {
                    List<String> results =
                            Scope.join(
                                    Joiner.<String>all(),
                                    scope -> {
                                        scope.spin("a", () -> after(LONG, "a"));
                                        scope.spin("b", () -> after(SHORT, "b"));
                                    });
                    assertEquals(List.of("a", "b"), results);
                });
    }

    @Test
    void F7_joinerAllFailsFast() {
        Runs.cleanly(
                () -> {
                    long before = Cord.current().nanoTime();
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            Scope.join(
                                                    Joiner.all(),
                                                    scope -> {
                                                        scope.spin("a", () -> Fiber.sleep(FAR));
                                                        scope.spin("b", failingAfter(SHORT, "b"));
                                                        Fiber.sleep(FAR);
                                                    }));
                    assertEquals("b", Runs.cause(thrown).getMessage());
                    assertEquals(SHORT.toNanos(), Cord.current().nanoTime() - before);
                });
    }

    @Test
    void F7_joinerFirstSuccessEndsTheLosers() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    String first =
                            Scope.join(
                                    Joiner.<String>firstSuccess(),
                                    scope -> {
                                        scope.spin(
                                                "bad",
                                                () -> {
                                                    throw new IllegalStateException("bad");
                                                });
                                        scope.spin("quick", () -> after(SHORT, "quick"));
                                        scope.spin(
                                                "slow",
                                                () -> {
                                                    try {
                                                        return after(LONG, "slow");
                                                    } finally {
                                                        log.add("slow ended");
                                                    }
                                                });
                                    });
                    assertEquals("quick", first);
                    assertEquals(List.of("slow ended"), log);
                    Fiber.snooze();
                });
    }

    @Test
    void F7_joinerFirstSuccessWithoutAnyTellsAllFailures() {
        Runs.cleanly(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            Scope.join(
                                                    Joiner.firstSuccess(),
                                                    scope -> {
                                                        scope.spin("a", failingAfter(SHORT, "a"));
                                                        scope.spin("b", failingAfter(LONG, "b"));
                                                    }));
                    assertEquals("a", Runs.cause(thrown).getMessage());
                    assertEquals("b", thrown.getSuppressed()[0].getMessage());
                    assertThrows(
                            IllegalStateException.class,
                            () -> Scope.join(Joiner.firstSuccess(), scope -> {}));
                });
    }

    @Test
    void F7_joinerUntilStopsWhenTheTestSaysSo() {
        Runs.cleanly(
                () -> {
                    List<Fiber<? extends String>> ended =
                            Scope.join(
                                    Joiner.<String>until(fiber -> fiber.name().equals("b")),
                                    scope -> {
                                        scope.spin("c", () -> after(FAR, "c"));
                                        scope.spin("b", () -> after(LONG, "b"));
                                        scope.spin("a", () -> after(SHORT, "a"));
                                    });
                    assertEquals(List.of("a", "b"), ended.stream().map(Fiber::name).toList());
                });
    }

    @Test
    void F7_joinerThatThrowsFailsTheScope() {
        Runs.cleanly(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            Scope.join(
                                                    Joiner.until(
                                                            fiber -> {
                                                                throw new IllegalStateException(
                                                                        "j");
                                                            }),
                                                    scope -> {
                                                        scope.spin("a", () -> {});
                                                        scope.spin("b", () -> Fiber.sleep(FAR));
                                                    }));
                    assertEquals("j", thrown.getMessage());
                });
    }

    /** Takes no failure in time, and late ones if it is to. */
    private record Late(boolean takes, List<Throwable> told) implements Joiner<Object, String> {
        @Override
        public boolean onEnd(Fiber<?> fiber) {
            return true;
        }

        @Override
        public boolean onLateFailure(Fiber<?> fiber) {
            told.add(fiber.failure());
            return takes;
        }

        @Override
        public String result() {
            return "result";
        }
    }

    private static Reports failLate(Late joiner) {
        Reports reports = new Reports();
        String result =
                Runs.virtual(
                        reports,
                        () ->
                                Scope.join(
                                        joiner,
                                        scope -> {
                                            scope.spin("late", () -> failLater());
                                            scope.spin("first", () -> Fiber.sleep(SHORT));
                                        }));
        assertEquals("result", result);
        return reports;
    }

    private static void failLater() {
        try {
            Fiber.sleep(FAR);
        } finally {
            failInCleanUp();
        }
    }

    @Test
    void F7_joinerMayTakeFailuresThatComeLate() {
        Late takes = new Late(true, new ArrayList<>());
        Reports none = failLate(takes);
        assertEquals(List.of(), none.all());
        assertEquals("clean-up", takes.told().getFirst().getMessage());
        Late leaves = new Late(false, new ArrayList<>());
        Reports one = failLate(leaves);
        assertEquals("late", one.only().fiber().name());
        assertEquals(1, leaves.told().size());
    }

    @Test
    void F7_terminatedOwnerEndsTheScope() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> owner =
                            Fiber.spin(
                                    () ->
                                            Scope.run(
                                                    scope ->
                                                            scope.spin(
                                                                    "a",
                                                                    () -> {
                                                                        try {
                                                                            Fiber.sleep(FAR);
                                                                        } finally {
                                                                            log.add("ended");
                                                                        }
                                                                    })));
                    Runs.settle();
                    owner.terminate();
                    assertThrows(FiberTerminatedException.class, owner::await);
                    assertEquals(List.of("ended"), log);
                });
    }

    @Test
    void F6_outerTimeLimitEndsTheScope() {
        Runs.cleanly(
                () -> {
                    Fiber<?>[] member = new FiberImpl<?>[1];
                    boolean done =
                            CancelScope.moveOnAfter(
                                    SHORT,
                                    () ->
                                            Scope.run(
                                                    scope ->
                                                            member[0] =
                                                                    scope.spin(
                                                                            "a",
                                                                            () ->
                                                                                    Fiber.sleep(
                                                                                            FAR))));
                    assertFalse(done);
                    assertEquals(FiberState.DEAD, member[0].state());
                });
    }

    @Test
    void F7_cancelEndsBlockAndFibers() {
        Runs.cleanly(
                () -> {
                    Fiber<?>[] member = new FiberImpl<?>[1];
                    assertThrows(
                            CancelledException.class,
                            () ->
                                    Scope.run(
                                            scope -> {
                                                member[0] = scope.spin("a", () -> Fiber.sleep(FAR));
                                                Fiber.spin(scope::cancel);
                                            }));
                    assertEquals(FiberState.DEAD, member[0].state());
                });
    }

    @Test
    void F7_whoDoesNotEndInTimeIsAbandonedAndReported() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () -> {
                    Runs.failureOf(
                            () ->
                                    Scope.run(
                                            scope -> {
                                                scope.spin(
                                                        "stubborn",
                                                        () ->
                                                                CancelScope.shielded(
                                                                        FAR,
                                                                        () -> Fiber.sleep(FAR)));
                                                Runs.settle();
                                                throw new IllegalStateException("own");
                                            }));
                    return null;
                });
        assertEquals("stubborn", reports.only().fiber().name());
        assertTrue(reports.only().failure() instanceof FiberAbandonedException);
    }

    @Test
    void F7_fibersOnOtherCords() {
        Reports reports = new Reports();
        Cord other = Runs.started("other", reports);
        Runs.real(
                () -> {
                    List<String> names =
                            Scope.join(
                                    Joiner.<String>all(),
                                    scope -> {
                                        scope.spinOn(other, "there", () -> Cord.current().name());
                                        scope.spin("here", () -> Cord.current().name());
                                    });
                    assertEquals(List.of("other", "real"), names);
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            Scope.run(
                                                    scope -> {
                                                        scope.spinOn(
                                                                other,
                                                                "bad",
                                                                () -> {
                                                                    throw new Exception("x");
                                                                });
                                                        Fiber.sleep(FAR);
                                                    }));
                    assertEquals("x", Runs.cause(thrown).getMessage());
                });
        Runs.checkAndClose(other);
        reports.assertNone();
    }

    @Test
    void misuse_scopeIsOverWhenItsBlockIs() {
        Runs.cleanly(
                () -> {
                    List<Scope<?>> escaped = new ArrayList<>();
                    Scope.run(
                            scope -> {
                                escaped.add(scope);
                            });
                    IllegalStateException thrown =
                            assertThrows(
                                    IllegalStateException.class,
                                    () -> escaped.getFirst().spin("late", () -> {}));
                    assertTrue(thrown.toString().contains("is over"), thrown::toString);
                    assertNull(FiberImpl.current().firstChild());
                });
    }

    @Test
    void F7_scopeHearsOfAMemberThatItsCordAbandoned() {
        Reports reports = new Reports();
        Cord closing =
                Cord.start(
                        CordOptions.named("closing")
                                .withStopLimit(Duration.ofMillis(20))
                                .withUncaught(reports));
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    CountDownLatch started = new CountDownLatch(1);
                    assertThrows(
                            FiberFailedException.class,
                            () ->
                                    Scope.run(
                                            scope -> {
                                                scope.spinOn(
                                                        closing,
                                                        "stubborn",
                                                        () ->
                                                                CancelScope.shielded(
                                                                        FAR,
                                                                        () -> {
                                                                            started.countDown();
                                                                            Fiber.suspend();
                                                                        }));
                                                Runs.await(started);
                                                closing.close();
                                            }));
                });
        assertEquals("stubborn", reports.only().fiber().name());
    }
}
