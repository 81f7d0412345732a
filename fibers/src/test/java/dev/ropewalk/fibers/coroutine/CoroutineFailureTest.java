package dev.ropewalk.fibers.coroutine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rules F7 and F16: each failure of a coroutine comes to light once, whoever waits or leaves. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CoroutineFailureTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);
    private static final Duration FAR = Duration.ofDays(1);

    private static Coroutine<String, String> failsLater(RuntimeException own) {
        return Coroutine.of(
                "bad",
                (_, _) -> {
                    Fiber.sleep(LONG);
                    throw own;
                });
    }

    private static void leave(Action wait) {
        assertThrows(FiberTimeoutException.class, () -> CancelScope.cancelAfter(SHORT, wait::run));
    }

    // ---------------------------------------------------------------- owed failures

    @Test
    void F7_failureThatIsOwedIsThrownByTheNextCallOnly() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Coroutine<String, String> bad = failsLater(own);
                                        leave(() -> bad.resume(""));
                                        Fiber.sleep(FAR);
                                        assertSame(own, Runs.failureOf(bad::await));
                                        Fiber.sleep(FAR);
                                        bad.close();
                                    });
                    parent.await();
                });
    }

    @Test
    void F7_failureThatIsOwedIsReportedAsTheParentEndsIfNobodyTookIt() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Coroutine<String, String> bad =
                                                failsLater(new IllegalStateException("own"));
                                        leave(() -> bad.resume(""));
                                        Fiber.sleep(FAR);
                                    });
                    TestCord.expectUncaught(FiberFailedException.class);
                    parent.await();
                });
    }

    @Test
    void F7_failureThatIsOwedToTheRootIsReported() {
        Reports reports = new Reports();
        IllegalStateException own = new IllegalStateException("own");
        Runs.virtual(
                reports,
                () -> {
                    Coroutine<String, String> bad = failsLater(own);
                    leave(() -> bad.resume(""));
                    Fiber.sleep(FAR);
                    return 0;
                });
        assertSame(own, Runs.cause(reports.only().failure()));
    }

    @Test
    void F7_failureThatIsOwedIsReportedByClose() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> bad = failsLater(new IllegalStateException("own"));
                    leave(() -> bad.resume(""));
                    Fiber.sleep(LONG);
                    TestCord.expectUncaught(FiberFailedException.class);
                    bad.close();
                    bad.close();
                });
    }

    @Test
    void F7_failureOfAGeneratorThatIsOwedIsThrownByTheNextNext() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    Generator<String> bad =
                            Generator.of(
                                    _ -> {
                                        Fiber.sleep(LONG);
                                        throw own;
                                    });
                    leave(bad::next);
                    Fiber.sleep(LONG);
                    Runs.settle();
                    assertSame(own, Runs.failureOf(bad::next));
                    bad.close();
                });
    }

    @Test
    void F7_failureInTheCleanUpOfWhatEndsWithItsParentIsTheParents() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Generator<Integer> unread =
                                                Generator.of(
                                                        out -> {
                                                            try {
                                                                out.yield(1);
                                                            } finally {
                                                                CancelScope.shielded(
                                                                        FAR,
                                                                        () -> Fiber.sleep(SHORT));
                                                                fail(own);
                                                            }
                                                        });
                                        assertEquals(1, unread.next());
                                    });
                    Throwable thrown = assertThrows(FiberFailedException.class, parent::await);
                    assertSame(own, Runs.cause(Runs.cause(thrown)));
                });
    }

    private static void fail(RuntimeException own) {
        throw own;
    }

    // ---------------------------------------------------------------- closing

    private static Generator<Integer> failsInCleanUp(RuntimeException own) {
        return Generator.of(
                out -> {
                    try {
                        for (int i = 0; ; i++) {
                            out.yield(i);
                        }
                    } finally {
                        CancelScope.shielded(FAR, () -> Fiber.sleep(LONG));
                        fail(own);
                    }
                });
    }

    @Test
    void F6_closerThatIsAbandonedTakesNoFailure() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    Generator<Integer> bad = failsInCleanUp(own);
                    assertEquals(0, bad.next());
                    Fiber<?> closer = Fiber.spin(bad::close);
                    Fiber.sleep(SHORT);
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Abandonment.abandonChildren(
                            FiberImpl.current(), List.of(closer), "the test says so");
                    Fiber.sleep(LONG);
                    assertSame(own, Runs.failureOf(bad::next));
                });
    }

    @Test
    void F6_closeThatThrowsLetsGoOfTheFetchedValue() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    Generator<Integer> bad = failsInCleanUp(own);
                    assertTrue(bad.hasNext());
                    assertSame(own, Runs.failureOf(bad::close));
                    assertThrows(IllegalStateException.class, bad::next);
                });
    }

    @Test
    void misuse_closeThatIsRefusedKeepsTheFetchedValue() {
        Runs.inAnyOrder(
                () -> {
                    List<Generator<Integer>> made = new ArrayList<>();
                    List<Throwable> thrown = new ArrayList<>();
                    made.add(
                            Generator.of(
                                    out -> {
                                        Fiber<?> below =
                                                Fiber.spin(
                                                        () -> {
                                                            Fiber.sleep(SHORT);
                                                            thrown.add(
                                                                    Runs.failureOf(
                                                                            made.getFirst()
                                                                                    ::close));
                                                        });
                                        out.yield(1);
                                        below.await();
                                    }));
                    Generator<Integer> numbers = made.getFirst();
                    assertTrue(numbers.hasNext());
                    Fiber.sleep(LONG);
                    assertEquals(DeadlockException.class, thrown.getFirst().getClass());
                    assertEquals(1, numbers.next());
                    assertFalse(numbers.hasNext());
                });
    }

    // ---------------------------------------------------------------- other ends of a body

    @SuppressWarnings("NullAway") // the fiber of a generator has no result
    private static void stopThisFiber() {
        Fiber.current().stop(null);
    }

    @Test
    void F16_generatorWhoseBodyIsStoppedHasNoMoreValues() {
        Runs.inAnyOrder(
                () -> {
                    Generator<Integer> stopped =
                            Generator.of(
                                    out -> {
                                        out.yield(1);
                                        stopThisFiber();
                                        out.yield(2);
                                    });
                    assertEquals(1, stopped.next());
                    assertFalse(stopped.hasNext());
                });
    }

    @Test
    void misuse_timeLimitAroundAYieldIsNamedByTheNextOne() {
        Runs.inAnyOrder(
                () -> {
                    List<Throwable> thrown = new ArrayList<>();
                    Generator<Integer> limited =
                            Generator.of(
                                    "limited",
                                    out -> {
                                        CancelScope.moveOnAfter(SHORT, () -> out.yield(1));
                                        thrown.add(Runs.failureOf(() -> out.yield(2)));
                                        Fiber.sleep(LONG);
                                    });
                    assertEquals(1, limited.next());
                    Fiber.sleep(LONG);
                    String yielding = thrown.getFirst().toString();
                    assertTrue(yielding.contains("its last yield was left"), yielding);
                    assertTrue(yielding.contains("a time limit or scope around"), yielding);
                    String asking = Runs.failureOf(limited::next).toString();
                    assertTrue(asking.contains("has left its last yield"), asking);
                    Fiber.sleep(LONG);
                    assertFalse(limited.hasNext());
                });
    }

    @Test
    void F9_closeOfABodyThatAwaitsTheCallerInAShieldWaitsForItsLimit() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> root = Fiber.current();
                    Coroutine<String, String> body =
                            Coroutine.of(
                                    (_, _) -> {
                                        CancelScope.shielded(LONG, () -> root.awaitEnd(FAR));
                                        return "";
                                    });
                    Fiber<Throwable> user = Fiber.spin(() -> Runs.failureOf(() -> body.resume("")));
                    Runs.settle();
                    body.close(); // the shield is lifted meanwhile
                    assertTrue(user.await() instanceof FiberTerminatedException);
                    assertFalse(body.isAlive());
                });
    }

    private static final List<Throwable> THROWN = new ArrayList<>();
    private static final List<Generator.Yielder<Integer>> YIELDERS = new ArrayList<>();

    private static final class InYield {
        static final int DONE = yieldInInitialiser();
    }

    private static int yieldInInitialiser() {
        THROWN.add(Runs.failureOf(() -> YIELDERS.getFirst().yield(1)));
        return 1;
    }

    @Tag("needs-flags")
    @Test
    void F3_yieldInAClassInitialiserGivesItsValueAndIsAnError() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Generator<Integer> pinned =
                            Generator.of(
                                    out -> {
                                        YIELDERS.add(out);
                                        assertEquals(1, InYield.DONE);
                                        THROWN.add(Runs.failureOf(() -> out.yield(2)));
                                    });
                    assertEquals(1, pinned.next());
                    assertFalse(pinned.hasNext());
                    assertEquals(
                            List.of(StackPinnedException.class, IllegalStateException.class),
                            THROWN.stream().map(Object::getClass).toList());
                    return 0;
                });
    }
}
