package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A recursion without an end ends its fiber, whatever the fiber was doing in the library when its
 * stack was full (rule F7). The bodies here try it from each depth near the end of the stack. (A
 * recursion that waits at each level fills the heap instead: what waits is moved there, and comes
 * back a few frames at a time.)
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StackOverflowTest {
    private static final int DEEP = 2_000;
    private static final int LEVELS = 1_000;
    private static final int TURNS = 1_000;
    private static final long SMALL_STACK = 256 << 10;
    private static final Duration SHORT = Duration.ofNanos(1_000);

    private int levelsLeft;

    /** On a small stack of its own; what the body spins is over when it is. */
    private static void onSmallStack(StackKind stacks, Action body) {
        Reports reports = new Reports();
        CordOptions options =
                CordOptions.named("small")
                        .withStacks(stacks)
                        .withUncaught(reports)
                        .withStackSize(SMALL_STACK);
        try (Cord cord = Cord.start(options)) {
            cord.spin("test", body).await();
            cord.spin("check", () -> CordImpl.of(cord).checkInvariants()).await();
        }
        reports.assertNone();
    }

    private static int recurse(int depth, Action atEachLevel) throws Exception {
        if (depth < 0) {
            return 0; // never
        }
        atEachLevel.run();
        return recurse(depth + 1, atEachLevel) + 1;
    }

    private static int recurseTo(int depth, Action atTheBottom) throws Exception {
        if (depth == 0) {
            atTheBottom.run();
            return 0;
        }
        return recurseTo(depth - 1, atTheBottom) + 1;
    }

    /** Fills the stack, and tries the operation at each of the deepest levels on the way back. */
    private void tryFromEachDepth(Action operation) throws Exception {
        if (levelsLeft < 0) {
            return; // never
        }
        boolean isBottom = false;
        try {
            tryFromEachDepth(operation);
        } catch (StackOverflowError full) {
            isBottom = true;
        }
        if (isBottom) {
            levelsLeft = LEVELS;
        }
        if (levelsLeft > 0) {
            levelsLeft--;
            try {
                operation.run();
            } catch (StackOverflowError | StackPinnedException full) {
                // The next level has a little more room. (Pinned: the JVM was loading a class when
                // the stack was full, and has left it so.)
            }
        }
    }

    private void diveWith(Action operation) {
        Fiber.spin("diver", () -> tryFromEachDepth(operation)).await();
        assertEquals("fine", Fiber.spin(() -> "fine").await());
    }

    private static void assertOverflow(Fiber<?> fiber) {
        Throwable thrown = Runs.failureOf(fiber::await);
        assertTrue(Runs.cause(thrown) instanceof StackOverflowError, thrown::toString);
    }

    @ParameterizedTest
    @EnumSource
    void F3_deepRecursionMayWaitAtTheBottom(StackKind stacks) {
        Runs.real(
                stacks,
                new Reports(),
                () -> {
                    Fiber<Integer> deep =
                            Fiber.spin(() -> recurseTo(DEEP, () -> Fiber.sleep(SHORT)));
                    Fiber<Integer> other =
                            Fiber.spin(() -> recurseTo(DEEP, () -> Runs.snooze(TURNS)));
                    assertEquals(DEEP, deep.await());
                    assertEquals(DEEP, other.await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_switchpointsThatFailForWantOfStackAreUndone(StackKind stacks) {
        List<Action> waits =
                List.of(
                        Fiber::snooze,
                        () -> Fiber.sleep(SHORT),
                        () -> new WaitCell().await("nobody", 1),
                        () -> CancelScope.moveOnAfter(SHORT, () -> Fiber.sleep(SHORT)));
        for (Action wait : waits) {
            onSmallStack(
                    stacks,
                    () -> {
                        Fiber<?> other = Fiber.spin("other", () -> Runs.snooze(TURNS));
                        diveWith(wait);
                        other.await();
                    });
        }
    }

    /** Whom it woke runs; whom it could not wake can be woken by the next. */
    @ParameterizedTest
    @EnumSource
    void F4_noWakeUpIsLostToAFullStack(StackKind stacks) {
        int[] accepted = new int[1];
        int[] taken = new int[1];
        onSmallStack(
                stacks,
                () -> {
                    Fiber<?> other =
                            Fiber.spin(
                                    "other",
                                    () -> {
                                        while (!"end".equals(Fiber.suspend())) {
                                            taken[0]++;
                                        }
                                    });
                    Fiber.snooze();
                    diveWith(
                            () -> {
                                if (other.schedule("work")) {
                                    accepted[0]++;
                                }
                                Fiber.snooze();
                            });
                    Runs.snooze(2);
                    assertTrue(other.schedule("end"));
                    other.await();
                });
        assertEquals(accepted[0], taken[0]);
    }

    /** A child that is half spun would keep its parent from ending. */
    @ParameterizedTest
    @EnumSource
    void F7_childIsSpunOrNot(StackKind stacks) {
        int[] spun = new int[1];
        int[] ran = new int[1];
        boolean[] isPinned = new boolean[1];
        onSmallStack(
                stacks,
                () -> {
                    List<Fiber<?>> all = new ArrayList<>();
                    Fiber<?> diver =
                            Fiber.spin(
                                    "diver",
                                    () -> {
                                        Fiber<?> me = Fiber.current();
                                        tryFromEachDepth(
                                                () -> {
                                                    Fiber.spin(() -> ran[0]++);
                                                    spun[0]++;
                                                });
                                        for (Fiber<?> each = FiberImpl.of(me).firstChild();
                                                each != null;
                                                each = FiberImpl.of(each).nextSibling) {
                                            all.add(each);
                                        }
                                        try {
                                            Fiber.awaitAll(all);
                                        } catch (StackPinnedException left) {
                                            isPinned[0] = true; // as in tryFromEachDepth
                                        }
                                    });
                    diver.await();
                    assertTrue(isPinned[0] || ran[0] == all.size());
                });
        assertTrue(spun[0] > 0, "spun=" + spun[0]);
        assertTrue(isPinned[0] || ran[0] >= spun[0], "ran=" + ran[0] + " spun=" + spun[0]);
    }

    /** So many limits that come and go let the cord clear away those that are over. */
    @ParameterizedTest
    @EnumSource
    void F2_timersSurviveAFullStack(StackKind stacks) {
        onSmallStack(
                stacks,
                () -> {
                    Fiber<?> sleeper = Fiber.spin(() -> Fiber.sleep(Duration.ofMillis(2)));
                    diveWith(() -> CancelScope.cancelAfter(Duration.ofDays(1), () -> 1));
                    diveWith(() -> CancelScope.cancelAfter(Duration.ofDays(2), () -> 1));
                    CordImpl.current().checkInvariants();
                    sleeper.await();
                });
    }

    /** The turn of a handler runs on a worker that goes on with the next one. */
    @Test
    void F3_handlersTurnThatOverflowsEndsThatHandlerOnly() {
        List<Object> log = new ArrayList<>();
        Reports reports = new Reports();
        try (Cord cord = Cord.start(CordOptions.named("small").withUncaught(reports))) {
            cord.spin(
                            "test",
                            () -> {
                                Fiber<?> deep =
                                        cord.spinHandler("deep", value -> recurse(0, () -> {}));
                                Fiber<?> other =
                                        cord.spinHandler(
                                                "other",
                                                value -> {
                                                    log.add(String.valueOf(value));
                                                    return Handler.WAIT;
                                                });
                                assertOverflow(deep);
                                Runs.snooze(2);
                                assertTrue(Waits.resumeHandler(other, "value"));
                                Runs.snooze(2);
                                other.terminate();
                                other.awaitEnd(Duration.ofSeconds(1));
                            })
                    .await();
            Runs.checkAndClose(cord);
        }
        assertEquals(2, log.size());
        reports.assertNone();
    }
}
