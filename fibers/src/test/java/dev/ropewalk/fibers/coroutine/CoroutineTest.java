package dev.ropewalk.fibers.coroutine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F16: coroutines that are resumed and yield, and that transfer to each other. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CoroutineTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final int DEEP = 1_000;

    @Test
    void F16_nestedResumesReturnInnermostFirst() {
        Runs.inAnyOrder(() -> assertEquals("abcde", nested("edcb")));
    }

    private static String nested(String left) {
        Coroutine<String, String> inner =
                Coroutine.of(
                        (_, rest) ->
                                rest.isEmpty() ? "a" : nested(rest.substring(1)) + rest.charAt(0));
        return inner.resume(left);
    }

    @Test
    void F16_valuesGoBothWays() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> echo =
                            Coroutine.of(
                                    (me, first) -> {
                                        log.add(first);
                                        log.add(me.yield("one"));
                                        log.add(me.yield("two"));
                                        return "end";
                                    });
                    assertEquals("one", echo.resume("a"));
                    assertEquals("two", echo.resume("b"));
                    assertTrue(echo.isAlive());
                    assertEquals("end", echo.resume("c"));
                    assertFalse(echo.isAlive());
                    assertEquals(List.of("a", "b", "c"), log);
                });
    }

    @Test
    void F16_nullsAndThrowablesAreValues() {
        Runs.inAnyOrder(
                () -> {
                    Exception value = new Exception("a value");
                    Coroutine<@Nullable Object, @Nullable Object> echo =
                            Coroutine.of(
                                    (me, first) -> {
                                        Object next = first;
                                        for (int i = 0; i < 2; i++) {
                                            next = me.yield(next);
                                        }
                                        return next;
                                    });
                    assertEquals(null, echo.resume(null));
                    assertSame(value, echo.resume(value));
                    assertSame(Waits.TIMED_OUT, echo.resume(Waits.TIMED_OUT));
                });
    }

    @Test
    void F16_transferReturnsWhatIsTransferredBack() {
        Runs.inAnyOrder(
                () -> {
                    List<Object> log = new ArrayList<>();
                    List<Coroutine<String, String>> both = new ArrayList<>();
                    both.add(
                            Coroutine.of(
                                    (_, _) -> {
                                        log.add(String.valueOf(both.get(1).transfer("foo")));
                                        return "ok";
                                    }));
                    both.add(
                            Coroutine.of(
                                    (_, first) -> {
                                        log.add(first);
                                        both.get(0).transfer("baz");
                                        return "never";
                                    }));
                    assertEquals("ok", both.get(0).transfer(""));
                    assertEquals(List.of("foo", "baz"), log);
                    assertFalse(both.get(0).isAlive());
                    assertTrue(both.get(1).isAlive());
                });
    }

    @Test
    void F16_transferToItselfReturnsTheValueAtOnce() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> self =
                            Coroutine.of((me, _) -> me.transfer("mine") + "!");
                    assertEquals("mine!", self.resume(""));
                });
    }

    @Test
    void F16_endAfterTransferReturnsToTheLastThatWasResumed() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> a1 =
                            Coroutine.of(
                                    "a1",
                                    (_, _) -> {
                                        Coroutine<String, String> a2 =
                                                Coroutine.of("a2", (_, _) -> logged(log, "a2"));
                                        a2.resume("");
                                        return logged(log, "a1");
                                    });
                    Coroutine<String, String> b1 =
                            Coroutine.of(
                                    "b1",
                                    (_, _) -> {
                                        a1.transfer("");
                                        return logged(log, "b1");
                                    });
                    Coroutine<String, String> r1 =
                            Coroutine.of(
                                    "r1",
                                    (_, _) -> {
                                        assertEquals("a1", b1.transfer(""));
                                        return logged(log, "r1");
                                    });
                    assertEquals("r1", r1.resume(""));
                    log.add("root");
                    assertEquals(List.of("a2", "a1", "r1", "root"), log);
                    assertTrue(b1.isAlive());
                });
    }

    private static String logged(List<String> log, String what) {
        log.add(what);
        return what;
    }

    @Test
    void F16_resumedOneThatWasTransferredBackToMayYield() {
        Runs.inAnyOrder(
                () -> {
                    List<Coroutine<String, String>> other = new ArrayList<>();
                    Coroutine<String, String> resumed =
                            Coroutine.of(
                                    (me, _) -> {
                                        Object back = other.getFirst().transfer("there");
                                        return me.yield("yielded " + back);
                                    });
                    other.add(
                            Coroutine.of(
                                    (_, first) ->
                                            String.valueOf(resumed.transfer(first + " and back"))));
                    assertEquals("yielded there and back", resumed.resume(""));
                    assertEquals("result", resumed.resume("result"));
                    assertTrue(other.getFirst().isAlive());
                });
    }

    @Test
    void F16_coroutinesTakeTurnsByTransfer() {
        Runs.inAnyOrder(
                () -> {
                    List<Coroutine<Integer, Integer>> ring = new ArrayList<>();
                    int size = 5;
                    for (int i = 0; i < size; i++) {
                        int next = (i + 1) % size;
                        ring.add(Coroutine.of((_, first) -> passOn(ring, next, first)));
                    }
                    assertEquals(DEEP, ring.getFirst().transfer(0));
                });
    }

    private static int passOn(List<Coroutine<Integer, Integer>> ring, int next, int first) {
        int number = first;
        while (number < DEEP) {
            Object back = ring.get(next).transfer(number + 1);
            number = back instanceof Integer given ? given : -1;
        }
        return number;
    }

    @Test
    void F16_endsOfTwoFibersGoToEachItsOwn() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<String>> users = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        String name = "user-" + i;
                        users.add(Fiber.spin(name, () -> useTransfer(name)));
                    }
                    assertEquals(
                            List.of("user-0", "user-1", "user-2", "user-3"), Fiber.awaitAll(users));
                });
    }

    private static String useTransfer(String name) {
        Coroutine<String, String> last =
                Coroutine.of(
                        (_, first) -> {
                            Fiber.sleep(SHORT);
                            return first;
                        });
        Coroutine<String, String> middle =
                Coroutine.of((_, first) -> String.valueOf(last.transfer(first)));
        return String.valueOf(middle.transfer(name));
    }

    @Test
    void F16_uncheckedFailureIsThrownAsItIsAndHarmsNobodyElse() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    Coroutine<String, String> bad =
                            Coroutine.of(
                                    (me, _) -> {
                                        me.yield("fine");
                                        throw own;
                                    });
                    assertEquals("fine", bad.resume(""));
                    assertSame(own, Runs.failureOf(() -> bad.resume("")));
                    assertFalse(bad.isAlive());
                    Fiber.sleep(SHORT);
                });
    }

    @Test
    void F16_checkedFailureIsTheCause() {
        Runs.inAnyOrder(
                () -> {
                    IOException own = new IOException("own");
                    Coroutine<String, String> bad =
                            Coroutine.of(
                                    "bad",
                                    (_, _) -> {
                                        throw own;
                                    });
                    Throwable thrown = Runs.failureOf(() -> bad.resume(""));
                    assertTrue(thrown instanceof FiberFailedException, thrown::toString);
                    assertSame(own, Runs.cause(thrown));
                    assertTrue(String.valueOf(thrown.getMessage()).contains("bad"));
                });
    }

    @Test
    void F16_failureAfterTransferIsThrownWhereControlReturns() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    Coroutine<String, String> bad =
                            Coroutine.of(
                                    (_, _) -> {
                                        throw own;
                                    });
                    Coroutine<String, String> between =
                            Coroutine.of((_, _) -> String.valueOf(bad.transfer("")));
                    assertSame(own, Runs.failureOf(() -> between.transfer("")));
                    assertTrue(between.isAlive());
                });
    }

    @Test
    void F7_failureOfTheBodysChildIsTheBodys() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> parent =
                            Coroutine.of(
                                    (me, _) -> {
                                        Fiber.spin(CoroutineTest::fail);
                                        me.yield("spun");
                                        return String.valueOf(Fiber.suspend());
                                    });
                    assertEquals("spun", parent.resume(""));
                    Throwable thrown = Runs.failureOf(() -> parent.resume(""));
                    assertEquals("child", Runs.cause(thrown).getMessage());
                    assertFalse(parent.isAlive());
                });
    }

    private static void fail() {
        Fiber.sleep(SHORT);
        throw new IllegalStateException("child");
    }

    @Test
    void F16_raiseIsThrownAtTheYieldAndMayBeCaught() {
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    Coroutine<String, String> catches =
                            Coroutine.of(
                                    (me, _) -> {
                                        Throwable caught = Runs.failureOf(() -> me.yield("one"));
                                        return me.yield("caught " + caught.getMessage());
                                    });
                    catches.resume("");
                    assertEquals("caught raised", catches.raise(raised));
                    RuntimeException again = new IllegalStateException("again");
                    assertSame(again, Runs.failureOf(() -> catches.raise(again)));
                    assertFalse(catches.isAlive());
                });
    }

    @Test
    void F16_raiseIntoTheRunningOneIsThrownAtOnce() {
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    Coroutine<String, String> self =
                            Coroutine.of(
                                    (me, _) ->
                                            ""
                                                    + (raised
                                                            == Runs.failureOf(
                                                                    () -> me.raise(raised))));
                    assertEquals("true", self.resume(""));
                });
    }

    @Test
    void F16_othersGoOnWhileTheBodyWaits() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> slow =
                            Coroutine.of(
                                    (_, _) -> {
                                        Fiber.sleep(SHORT);
                                        return logged(log, "slow");
                                    });
                    Fiber.spin(() -> logged(log, "other"));
                    long before = Cord.current().nanoTime();
                    assertEquals("slow", slow.resume(""));
                    assertEquals(SHORT.toNanos(), Cord.current().nanoTime() - before);
                    assertEquals(List.of("other", "slow"), log);
                });
    }

    @Test
    void F16_fiberOfAnotherParentMayResumeIt() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<Integer, Integer> counter =
                            Coroutine.of(
                                    (me, first) -> {
                                        int sum = first;
                                        for (; ; ) {
                                            sum += me.yield(sum);
                                        }
                                    });
                    for (int i = 1; i <= 3; i++) {
                        int number = i;
                        Fiber.spin(() -> counter.resume(number)).await();
                    }
                    assertEquals(6, counter.resume(0));
                });
    }

    @Test
    void F9_reportsNameWhatIsWaitedFor() {
        Reports reports = new Reports();
        Throwable thrown =
                Runs.failureOf(
                        () ->
                                Runs.virtual(
                                        reports,
                                        () -> {
                                            Coroutine<String, String> stuck =
                                                    Coroutine.of("stuck", (_, _) -> forEver());
                                            Coroutine<String, String> idle =
                                                    Coroutine.of("idle", (me, _) -> me.yield(""));
                                            idle.resume("");
                                            return stuck.resume("");
                                        }));
        String report = String.valueOf(Runs.cause(thrown).getMessage());
        assertTrue(
                report.contains("root on cord virtual waits: the next value of coroutine stuck"),
                report);
        assertTrue(report.contains("fiber idle on cord virtual waits: its next resume"), report);
        assertTrue(report.contains("fiber stuck on cord virtual waits: suspend"), report);
    }

    private static String forEver() {
        return String.valueOf(Fiber.suspend());
    }

    @Test
    void F11_onBothKindsOfStacks() {
        Reports reports = new Reports();
        Runs.real(
                reports,
                () -> {
                    assertEquals("abcde", nested("edcb"));
                    assertEquals("user", useTransfer("user"));
                    assertEquals(DEEP, chain(DEEP).resume(0));
                });
        reports.assertNone();
    }

    /** Each resumes the next one and adds one. */
    private static Coroutine<Integer, Integer> chain(int length) {
        return Coroutine.of(
                (_, first) -> length == 0 ? first : 1 + chain(length - 1).resume(first));
    }
}
