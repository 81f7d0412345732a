package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F6: cancel scopes, by time limits and by calls. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CancelScopeTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);
    private static final Duration FAR = Duration.ofDays(1);

    private static long now() {
        return Cord.current().nanoTime();
    }

    @Test
    void F6_cancelAfterThrowsFromItsOwnCallAtItsLimit() {
        Runs.inAnyOrder(
                () -> {
                    long before = now();
                    FiberTimeoutException thrown =
                            assertThrows(
                                    FiberTimeoutException.class,
                                    () -> CancelScope.cancelAfter(SHORT, () -> Fiber.sleep(FAR)));
                    assertEquals(SHORT.toNanos(), now() - before);
                    String message = thrown.toString();
                    assertTrue(message.contains("the limit of PT0.1S passed"), message);
                    assertTrue(message.contains("fiber root on cord test"), message);
                    assertTrue(message.contains("was waiting: sleep"), message);
                });
    }

    /** Its queue lets go of the wait before the scope is left. */
    @Test
    void F6_endOfAScopeNamesTheLockThatWasWaitedFor() {
        Runs.inAnyOrder(
                () -> {
                    for (Event event : List.of(Event.localManual(), Event.sharedManual())) {
                        FiberTimeoutException thrown =
                                assertThrows(
                                        FiberTimeoutException.class,
                                        () -> CancelScope.cancelAfter(SHORT, () -> event.await()));
                        String message = thrown.toString();
                        assertTrue(message.endsWith("was waiting: " + event), message);
                        CancelScope scope = CancelScope.withoutLimit();
                        Fiber.spin("cancel", scope::cancel);
                        CancelledException cancelled =
                                assertThrows(
                                        CancelledException.class,
                                        () -> scope.run(() -> event.await()));
                        String told = cancelled.toString();
                        assertTrue(told.endsWith("was waiting: " + event), told);
                    }
                });
    }

    @Test
    void F6_blockThatIsDoneInTimeReturnsItsResult() {
        Runs.inAnyOrder(
                () -> {
                    String result =
                            CancelScope.cancelAfter(
                                    LONG,
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        return "done";
                                    });
                    assertEquals("done", result);
                    Fiber.sleep(FAR);
                });
    }

    @Test
    void F6_blockThatNeverWaitsIsDoneThoughLateAndLeavesNothingBehind() {
        Runs.inAnyOrder(
                () -> {
                    assertEquals(1, CancelScope.cancelAfter(Duration.ZERO, () -> 1));
                    assertTrue(CancelScope.moveOnAfter(Duration.ZERO, () -> {}));
                    Fiber.snooze();
                    Fiber.sleep(SHORT);
                });
    }

    @Test
    void F6_limitOfNothingLeavesAtTheFirstSwitchpoint() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    boolean done =
                            CancelScope.moveOnAfter(
                                    Duration.ZERO,
                                    () -> {
                                        log.add("begun");
                                        Fiber.snooze();
                                        log.add("went on");
                                    });
                    assertFalse(done);
                    assertEquals(List.of("begun"), log);
                });
    }

    @Test
    void F6_moveOnAfterGoesOnWithTheOtherValue() {
        Runs.inAnyOrder(
                () -> {
                    Object value =
                            CancelScope.<@Nullable Object, RuntimeException>moveOnAfter(
                                    SHORT, "other", Fiber::suspend);
                    assertEquals("other", value);
                    assertEquals("own", CancelScope.moveOnAfter(SHORT, "other", () -> "own"));
                });
    }

    /** Where Polyphony throws what the block returned. */
    @Test
    void F6_returnedExceptionIsAResult() {
        Runs.inAnyOrder(
                () -> {
                    Exception result = new Exception("result");
                    assertSame(result, CancelScope.cancelAfter(SHORT, () -> result));
                    assertSame(result, CancelScope.moveOnAfter(SHORT, result, () -> result));
                });
    }

    @Test
    void F6_whatTheBlockThrowsComesOutAsItIs() {
        Runs.inAnyOrder(
                () -> {
                    Exception own = new Exception("own");
                    Block<String, Exception> failing =
                            () -> {
                                throw own;
                            };
                    assertSame(
                            own,
                            assertThrows(
                                    Exception.class,
                                    () -> CancelScope.cancelAfter(SHORT, failing)));
                    Fiber.sleep(LONG);
                });
    }

    /** A block's own failure while it is left says more than the limit. */
    @Test
    void F6_failureWhileLeavingComesOutAsItIs() {
        Runs.inAnyOrder(
                () -> {
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            CancelScope.moveOnAfter(
                                                    SHORT,
                                                    () -> {
                                                        try {
                                                            Fiber.suspend();
                                                        } finally {
                                                            failInCleanUp();
                                                        }
                                                    }));
                    assertTrue(thrown instanceof IllegalStateException, thrown::toString);
                    Fiber.sleep(LONG);
                });
    }

    private static void failInCleanUp() {
        throw new IllegalStateException("clean-up");
    }

    /** Where Polyphony's nested time limits lose the outer one. */
    @Test
    void F6_outerLimitLeavesBothBlocks() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    long before = now();
                    String outer =
                            CancelScope.moveOnAfter(
                                    SHORT,
                                    "outer",
                                    () -> {
                                        Object inner =
                                                CancelScope
                                                        .<@Nullable Object, RuntimeException>
                                                                moveOnAfter(
                                                                        LONG,
                                                                        "inner",
                                                                        Fiber::suspend);
                                        log.add("after inner: " + inner);
                                        return "done";
                                    });
                    assertEquals("outer", outer);
                    assertEquals(List.of(), log);
                    assertEquals(SHORT.toNanos(), now() - before);
                });
    }

    @Test
    void F6_innerLimitLeavesTheInnerBlockOnlyAndTheOuterStillCounts() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    long before = now();
                    assertThrows(
                            FiberTimeoutException.class,
                            () ->
                                    CancelScope.cancelAfter(
                                            LONG,
                                            () -> {
                                                log.add(
                                                        ""
                                                                + CancelScope.moveOnAfter(
                                                                        SHORT,
                                                                        () -> Fiber.sleep(FAR)));
                                                assertEquals(SHORT.toNanos(), now() - before);
                                                Fiber.sleep(FAR);
                                            }));
                    assertEquals(List.of("false"), log);
                    assertEquals(LONG.toNanos(), now() - before);
                });
    }

    /** Both limits have passed when the inner block is left: the outer one raises next. */
    @Test
    void F6_outerScopeRaisesWhenTheInnerWasLeft() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    boolean done =
                            CancelScope.moveOnAfter(
                                    LONG,
                                    () -> {
                                        CancelScope.moveOnAfter(
                                                SHORT,
                                                () -> {
                                                    try {
                                                        Fiber.suspend();
                                                    } finally {
                                                        CancelScope.shielded(
                                                                FAR, () -> Fiber.sleep(LONG));
                                                    }
                                                });
                                        log.add("inner left");
                                        Fiber.snooze();
                                        log.add("went on");
                                    });
                    assertFalse(done);
                    assertEquals(List.of("inner left"), log);
                });
    }

    @Test
    void F6_everySwitchpointOfACancelledScopeRaisesUntilItIsLeft() {
        Runs.inAnyOrder(
                () -> {
                    int[] raised = new int[1];
                    CancelScope.moveOnAfter(
                            SHORT,
                            () -> {
                                for (int i = 0; i < 5; i++) {
                                    Throwable thrown = Runs.failureOf(() -> Fiber.sleep(FAR));
                                    assertTrue(thrown instanceof Unwind.Cancel, thrown::toString);
                                    raised[0]++;
                                }
                            });
                    assertEquals(5, raised[0]);
                    Fiber.sleep(SHORT);
                });
    }

    @Test
    void F6_catchExceptionDoesNotSeeACancellation() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    CancelScope.moveOnAfter(
                            SHORT,
                            () -> {
                                try {
                                    Fiber.suspend();
                                } catch (Exception e) {
                                    log.add("seen: " + e);
                                }
                                log.add("went on");
                            });
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void F6_whoSwallowsACancellationForEverIsAbandoned() {
        Reports reports = new Reports();
        int[] swallowed = new int[1];
        Runs.virtual(
                reports,
                () -> {
                    Fiber<?> stubborn =
                            Fiber.spin(
                                    () ->
                                            CancelScope.moveOnAfter(
                                                    SHORT,
                                                    () -> {
                                                        for (; ; ) {
                                                            Runs.failureOf(Fiber::suspend);
                                                            swallowed[0]++;
                                                        }
                                                    }));
                    Throwable failure = Runs.failureOf(stubborn::await);
                    assertTrue(failure instanceof FiberAbandonedException, failure::toString);
                    FiberImpl.of(stubborn).checkInvariants();
                    Fiber.sleep(FAR);
                    CordImpl.current().checkInvariants();
                    return null;
                });
        assertEquals(Unwind.MAX_RAISES, swallowed[0]);
        assertTrue(reports.only().failure() instanceof FiberAbandonedException);
    }

    /** A cancellation of many scopes, one after the other, is nobody's stubbornness. */
    @Test
    void F6_manyTimeoutsDoNotWearAFiberOut() {
        Runs.inAnyOrder(
                () -> {
                    for (int i = 0; i < 2 * Unwind.MAX_RAISES; i++) {
                        assertFalse(CancelScope.moveOnAfter(SHORT, () -> Fiber.sleep(LONG)));
                    }
                });
    }

    /** Where Polyphony's resettable time limit swallows a stop of the fiber. */
    @Test
    void F6_foreignTerminationPassesThroughAllScopes() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<String> terminated = spinInScopes();
                    Runs.settle();
                    terminated.terminate();
                    assertThrows(FiberTerminatedException.class, terminated::await);
                    Fiber<String> stopped = spinInScopes();
                    Runs.settle();
                    stopped.stop("stopped");
                    assertEquals("stopped", stopped.await());
                });
    }

    /** Its result tells whether a scope has swallowed what came from outside. */
    private static Fiber<String> spinInScopes() {
        return Fiber.spin(
                () -> {
                    CancelScope.moveOnAfter(
                            FAR,
                            () -> {
                                CancelScope scope = CancelScope.withLimit(LONG);
                                scope.reset();
                                scope.runOrLeave(() -> Fiber.sleep(FAR));
                                throw new AssertionError("the inner scope swallowed it");
                            });
                    return "the outer scope swallowed it";
                });
    }

    @Test
    void F4_failureBeatsATimeoutAndTheTimeoutStandsBehindIt() {
        Runs.fifo(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        boolean done =
                                                CancelScope.moveOnAfter(
                                                        SHORT,
                                                        () -> {
                                                            log.add(why(FAR));
                                                            log.add(why(FAR));
                                                            log.add(why(FAR));
                                                        });
                                        log.add("" + done);
                                    });
                    Fiber.sleep(SHORT);
                    fiber.raise(new IllegalStateException("failure"));
                    fiber.await();
                    assertEquals(List.of("failure", "cancel", "cancel", "true"), log);
                });
    }

    private static String why(Duration time) {
        return switch (Runs.failureOf(() -> Fiber.sleep(time))) {
            case Unwind.Cancel _ -> "cancel";
            case Throwable other -> String.valueOf(other.getMessage());
        };
    }

    @Test
    void F4_valueThatWasAcceptedBeforeTheCancellationIsNotLost() {
        Runs.fifo(
                () -> {
                    List<@Nullable Object> log = new ArrayList<>();
                    CancelScope[] scope = new CancelScope[1];
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        scope[0] = CancelScope.withoutLimit();
                                        scope[0].runOrLeave(
                                                () -> {
                                                    log.add(Fiber.suspend());
                                                    log.add(Fiber.suspend());
                                                });
                                    });
                    Runs.settle();
                    assertTrue(fiber.schedule("value"));
                    scope[0].cancel();
                    fiber.await();
                    assertEquals(List.of("value"), log);
                });
    }

    @Test
    void F6_timeoutOfAScopeThatWasLeftIsDropped() {
        Runs.fifo(
                () -> {
                    CancelScope scope = CancelScope.withoutLimit();
                    int result =
                            scope.call(
                                    () -> {
                                        scope.cancel();
                                        return 1;
                                    });
                    assertEquals(1, result);
                    assertTrue(scope.isCancelled());
                    Fiber.snooze();
                });
    }

    @Test
    void F6_resetStartsTheLimitAgain() {
        Runs.inAnyOrder(
                () -> {
                    CancelScope scope = CancelScope.withLimit(LONG);
                    long before = now();
                    boolean done =
                            scope.runOrLeave(
                                    () -> {
                                        for (int i = 0; i < 10; i++) {
                                            Fiber.sleep(SHORT);
                                            assertTrue(scope.reset());
                                        }
                                        Fiber.sleep(FAR);
                                    });
                    assertFalse(done);
                    assertEquals(10 * SHORT.toNanos() + LONG.toNanos(), now() - before);
                    assertFalse(scope.reset(), "too late");
                });
    }

    /** Where Polyphony's nested resettable limits take each other's timeouts. */
    @Test
    void F6_resettableLimitsNest() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    CancelScope outer = CancelScope.withLimit(SHORT);
                    CancelScope inner = CancelScope.withLimit(LONG);
                    boolean done =
                            outer.runOrLeave(
                                    () -> {
                                        inner.runOrLeave(() -> Fiber.sleep(FAR));
                                        log.add("after inner");
                                    });
                    assertFalse(done);
                    assertTrue(outer.isCancelled());
                    assertFalse(inner.isCancelled());
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void F6_resetToAnotherLimitBeforeAndInside() {
        Runs.inAnyOrder(
                () -> {
                    CancelScope scope = CancelScope.withoutLimit();
                    assertThrows(IllegalStateException.class, scope::reset);
                    assertTrue(scope.reset(LONG));
                    long before = now();
                    boolean done =
                            scope.runOrLeave(
                                    () -> {
                                        scope.reset(SHORT);
                                        Fiber.sleep(FAR);
                                    });
                    assertFalse(done);
                    assertEquals(SHORT.toNanos(), now() - before);
                });
    }

    @Test
    void F6_cancelFromAnotherFiberAndFromAThread() throws Exception {
        Runs.inAnyOrder(
                () -> {
                    CancelScope scope = CancelScope.withoutLimit();
                    Fiber.spin(scope::cancel);
                    CancelledException thrown =
                            assertThrows(
                                    CancelledException.class,
                                    () -> scope.run(() -> Fiber.sleep(FAR)));
                    assertTrue(thrown.toString().contains("was cancelled"), thrown::toString);
                });
        Runs.real(
                () -> {
                    CancelScope scope = CancelScope.withoutLimit();
                    Thread.ofPlatform().start(scope::cancel);
                    assertFalse(scope.runOrLeave(() -> Fiber.suspend()));
                });
    }

    @Test
    void F6_scopeCancelledBeforeItsBlockLeavesAtTheFirstSwitchpoint() {
        Runs.inAnyOrder(
                () -> {
                    CancelScope scope = CancelScope.withoutLimit();
                    scope.cancel();
                    int[] begun = new int[1];
                    assertFalse(
                            scope.runOrLeave(
                                    () -> {
                                        begun[0]++;
                                        Fiber.suspend();
                                    }));
                    assertEquals(1, begun[0]);
                });
    }

    @Test
    void F6_cancellationEndsAWaitThatCrossesCords() {
        Reports reports = new Reports();
        Cord other = Runs.started("other", reports);
        Runs.real(
                () -> {
                    Fiber<?> sleeper = other.spin("sleeper", () -> Fiber.sleep(FAR));
                    assertFalse(
                            CancelScope.moveOnAfter(Duration.ofMillis(1), () -> sleeper.await()));
                    assertNull(sleeper.failure());
                    sleeper.terminate();
                });
        Runs.checkAndClose(other);
        reports.assertNone();
    }

    @Test
    void misuse_scopeIsForOneBlockOfItsFiber() {
        Runs.inAnyOrder(
                () -> {
                    CancelScope scope = CancelScope.withLimit(SHORT);
                    Fiber<?> other = Fiber.spin(() -> Runs.failureOf(() -> scope.run(() -> {})));
                    Throwable thrown = (Throwable) other.await();
                    assertNotNull(thrown);
                    assertTrue(thrown.toString().contains("was used by fiber"), thrown::toString);
                    scope.run(() -> {});
                    IllegalStateException twice =
                            assertThrows(IllegalStateException.class, () -> scope.run(() -> {}));
                    assertTrue(twice.toString().contains("had a block already"), twice::toString);
                });
    }

    @Test
    void misuse_wrongTimesAndWrongThreads() {
        assertThrows(IllegalStateException.class, () -> CancelScope.cancelAfter(SHORT, () -> {}));
        Runs.inAnyOrder(
                () -> {
                    for (Duration time :
                            List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> CancelScope.cancelAfter(time, () -> {}));
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> CancelScope.shielded(time, () -> {}));
                    }
                });
        Runs.real(
                () -> {
                    CancelScope scope = CancelScope.withLimit(FAR);
                    Throwable[] thrown = new Throwable[1];
                    Thread thread =
                            Thread.ofPlatform()
                                    .start(() -> thrown[0] = Runs.failureOf(scope::reset));
                    thread.join();
                    assertTrue(thrown[0] instanceof WrongThreadException, "" + thrown[0]);
                });
    }
}
