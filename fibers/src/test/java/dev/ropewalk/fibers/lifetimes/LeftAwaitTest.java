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
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.Spinner;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules F4 and F7: an await that is left in the turn in which the child fails. Time stands still on
 * a virtual clock while anything runs, so the children cancel the scope in the turn in which they
 * fail.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class LeftAwaitTest {
    private static final Duration SHORT = Duration.ofMillis(3);
    private static final Duration FAR = Duration.ofDays(1);
    private static final int ROUNDS = 20;

    /** How a parent takes the outcome of its child. */
    enum Form {
        AWAIT,
        ALL,
        ANY,
        SELECT;

        /** What the child threw; anything else passes. */
        String failureOf(Fiber<?> child) {
            try {
                switch (this) {
                    case AWAIT -> child.await();
                    case ALL -> Fiber.awaitAll(List.of(child));
                    case ANY -> throw failure(Fiber.awaitAny(List.of(child)));
                    case SELECT -> {
                        Selection<FiberFailedException> selection =
                                new Selection<>(List.of(child.onOutcome(Form::failure)), false);
                        assertTrue(selection.await(Long.MAX_VALUE));
                        throw selection.result();
                    }
                }
            } catch (FiberFailedException failed) {
                return String.valueOf(Runs.cause(failed).getMessage());
            }
            throw new AssertionError(child + " did not fail");
        }

        /** Takes it without another switchpoint. */
        private static FiberFailedException failure(Fiber<?> over) {
            return new FiberFailedException(over, "taken", over.failure());
        }
    }

    private static Fiber<?> failing(Spinner where, Action before) {
        return where.spin(
                "kid",
                () -> {
                    before.run();
                    throw new IOException("kid");
                });
    }

    private static void assertIsKids(Throwable thrown) {
        assertEquals(FiberFailedException.class, thrown.getClass());
        assertEquals("kid", Runs.cause(thrown).getMessage());
    }

    /** What is pending shows here. */
    private static void assertNothingComes() {
        Fiber.snooze();
        Fiber.sleep(SHORT);
    }

    @ParameterizedTest
    @EnumSource
    void F7_failureInTheTurnOfTheCancellationIsTheAwaitersAndTheLoopIsLeftThen(Form form) {
        Runs.cleanly(
                () -> {
                    CancelScope scope = CancelScope.withoutLimit();
                    int[] rounds = new int[1];
                    Throwable thrown =
                            Runs.failureOf(
                                    () ->
                                            scope.run(
                                                    () -> {
                                                        for (; ; ) {
                                                            round(form, scope, ++rounds[0]);
                                                        }
                                                    }));
                    assertEquals(CancelledException.class, thrown.getClass());
                    assertEquals(4, rounds[0], "the third had its outcome");
                    assertEquals(1, thrown.getSuppressed().length);
                    assertIsKids(thrown.getSuppressed()[0]); // the fourth's
                    assertNothingComes();
                });
    }

    private static void round(Form form, CancelScope scope, int round) {
        Fiber<?> kid =
                failing(
                        Cord.current(),
                        () -> {
                            if (round == 3) {
                                scope.cancel();
                            }
                        });
        assertEquals("kid", form.failureOf(kid));
    }

    /** In a loop that moves on nothing is told: the block's outcome is not wanted any more. */
    @ParameterizedTest
    @EnumSource
    void F7_loopThatIsMovedOnFromTellsNoFailureThatItAwaited(Form form) {
        Runs.cleanly(
                () -> {
                    CancelScope scope = CancelScope.withoutLimit();
                    int[] rounds = new int[1];
                    assertFalse(
                            scope.runOrLeave(
                                    () -> {
                                        for (; ; ) {
                                            round(form, scope, ++rounds[0]);
                                        }
                                    }));
                    assertEquals(4, rounds[0]);
                    assertNothingComes();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F4_whatIsRaisedInTheTurnOfTheFailureComesAtTheNextSwitchpoint(Form form) {
        Runs.cleanly(
                () -> {
                    Fiber<?> me = Fiber.current();
                    IllegalStateException own = new IllegalStateException("own");
                    Fiber<?> kid = failing(Cord.current(), () -> me.raise(own));
                    assertEquals("kid", form.failureOf(kid));
                    assertSame(own, Runs.failureOf(Fiber::snooze));
                    assertNothingComes();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_stopInTheTurnOfTheFailureEndsTheAwaiterWithItsResult(Form form) {
        Runs.cleanly(
                () -> {
                    Fiber<String> parent =
                            Fiber.spin(
                                    "parent",
                                    () -> {
                                        Fiber<?> me = Fiber.current();
                                        for (; ; ) {
                                            Fiber<?> kid = failing(Cord.current(), () -> stop(me));
                                            form.failureOf(kid);
                                        }
                                    });
                    assertEquals("stopped", parent.await());
                });
    }

    @SuppressWarnings("unchecked")
    private static void stop(Fiber<?> fiber) {
        ((Fiber<String>) fiber).stop("stopped");
    }

    /** The limit was armed first, so the awaiter has its turn before the child. */
    @ParameterizedTest
    @EnumSource
    void F7_failureAtTheNanosecondOfTheLimitIsTheAwaiters(Form form) {
        Runs.cleanly(
                () -> {
                    String failure =
                            CancelScope.cancelAfter(
                                    SHORT,
                                    () ->
                                            form.failureOf(
                                                    failing(
                                                            Cord.current(),
                                                            () -> Fiber.sleep(SHORT))));
                    assertEquals("kid", failure);
                    assertNothingComes();
                });
    }

    /** The select's own limit. */
    @Test
    void F7_failureAtTheNanosecondOfTheLimitOfASelectIsTheSelects() {
        Runs.cleanly(
                () -> {
                    Fiber<?> kid = failing(Cord.current(), () -> Fiber.sleep(SHORT));
                    Selection<String> selection =
                            new Selection<>(
                                    List.of(kid.onOutcome(f -> String.valueOf(f.await()))), false);
                    assertTrue(selection.await(SHORT.toNanos()));
                    assertIsKids(assertThrows(FiberFailedException.class, selection::result));
                    assertNothingComes();
                });
    }

    /** What ended the wait first stands if the child did not fail: it can be awaited again. */
    @Test
    void F4_resultInTheTurnOfTheCancellationIsThereForTheNextAwait() {
        Runs.cleanly(
                () -> {
                    CancelScope scope = CancelScope.withoutLimit();
                    Fiber<String> kid =
                            Fiber.spin(
                                    "kid",
                                    () -> {
                                        scope.cancel();
                                        return "result";
                                    });
                    assertNull(scope.callOrElse(null, kid::await));
                    assertEquals("result", kid.await());
                });
    }

    /** Nobody awaits it then, as before. */
    @Test
    void F7_failureInALaterTurnCancelsTheParent() {
        Runs.fifo(
                () -> {
                    Fiber<?> parent =
                            Fiber.spin(
                                    "parent",
                                    () -> {
                                        Fiber<?> kid =
                                                failing(
                                                        Cord.current(),
                                                        () -> Fiber.sleep(SHORT.plusNanos(1)));
                                        assertFalse(
                                                CancelScope.moveOnAfter(SHORT, () -> kid.await()));
                                        Fiber.sleep(FAR);
                                    });
                    assertEquals(
                            "kid",
                            Runs.cause(Runs.cause(Runs.failureOf(parent::await))).getMessage());
                });
    }

    /**
     * The other cord has told both when the awaiter has its turn, or only the cancellation: then
     * nobody awaits the child any more when it fails.
     */
    @ParameterizedTest
    @EnumSource
    void F7_failureOnAnotherCordBeforeTheAwaiterHasItsTurnIsTheAwaiters(Form form) {
        boolean[] seen = new boolean[2];
        Runs.together(
                2,
                cords -> {
                    Fiber<?>[] kid = new Fiber<?>[1];
                    boolean[] hadFailed = new boolean[1];
                    Fiber<?> parent =
                            Fiber.spin(
                                    "parent",
                                    () -> {
                                        CancelScope scope = CancelScope.withoutLimit();
                                        try {
                                            scope.run(
                                                    () -> {
                                                        kid[0] =
                                                                failing(
                                                                        cords.get(1),
                                                                        scope::cancel);
                                                        form.failureOf(kid[0]);
                                                        hadFailed[0] = true;
                                                    });
                                        } catch (CancelledException left) {
                                            hadFailed[0] = kid[0].state() == FiberState.DEAD;
                                        }
                                        Fiber.sleep(SHORT);
                                    });
                    if (!parent.awaitEnd(FAR) || hadFailed[0]) {
                        assertNull(parent.failure());
                    }
                    seen[hadFailed[0] ? 1 : 0] = true;
                    if (!hadFailed[0]) {
                        Runs.failureOf(parent::await);
                    }
                });
        assertTrue(seen[1], "the failure never came first");
    }

    @ParameterizedTest
    @EnumSource
    void F7_limitInRealTimeLeavesALoopOfFailures(Form form) {
        Reports reports = new Reports();
        Runs.real(
                reports,
                () -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        assertThrows(
                                FiberTimeoutException.class,
                                () ->
                                        CancelScope.cancelAfter(
                                                SHORT,
                                                () -> {
                                                    for (; ; ) {
                                                        round(form, CancelScope.withoutLimit(), 0);
                                                    }
                                                }));
                        Waits.switchpoint();
                    }
                });
        reports.assertNone();
    }

    /** Children that never wait have one turn each, however many there are. */
    @ParameterizedTest
    @EnumSource(names = {"ALL", "ANY", "SELECT"})
    void F6_anAwaitThatIsLeftWaitsForOneTurnOfTheOthers(Form form) {
        Runs.fifo(
                () -> {
                    CancelScope scope = CancelScope.withoutLimit();
                    int[] turnsAfter = new int[1];
                    List<Fiber<?>> busy = new ArrayList<>();
                    for (int i = 0; i < 8; i++) {
                        busy.add(
                                Fiber.spin(
                                        "busy",
                                        () -> {
                                            for (int turn = 0; ; turn++) {
                                                if (turn == 3) {
                                                    scope.cancel();
                                                }
                                                turnsAfter[0] += scope.isCancelled() ? 1 : 0;
                                                Fiber.snooze();
                                            }
                                        }));
                    }
                    Throwable left =
                            Runs.failureOf(
                                    () ->
                                            scope.run(
                                                    () -> {
                                                        switch (form) {
                                                            case ALL -> Fiber.awaitAll(busy);
                                                            case ANY -> Fiber.awaitAny(busy);
                                                            default -> form.failureOf(busy.get(0));
                                                        }
                                                    }));
                    assertEquals(CancelledException.class, left.getClass());
                    assertTrue(turnsAfter[0] <= 4 * 8, () -> turnsAfter[0] + " turns");
                    busy.forEach(Fiber::terminate);
                });
    }
}
