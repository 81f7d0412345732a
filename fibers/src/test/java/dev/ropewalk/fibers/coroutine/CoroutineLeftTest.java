package dev.ropewalk.fibers.coroutine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rules F5 and F16: waits for a coroutine that are left before the answer lose nothing. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CoroutineLeftTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);

    /** Yields each thing it is given, a while later. */
    private static Coroutine<String, String> slowEcho(Duration time) {
        return Coroutine.of(
                "slow",
                (me, first) -> {
                    for (String next = first; ; ) {
                        Fiber.sleep(time);
                        next = me.yield(next);
                    }
                });
    }

    private static Coroutine<String, String> slowResult(String name, Duration time, String result) {
        return Coroutine.of(
                name,
                (_, _) -> {
                    Fiber.sleep(time);
                    return result;
                });
    }

    private static void leave(Action wait) {
        leave(SHORT, wait);
    }

    private static void leave(Duration limit, Action wait) {
        assertThrows(FiberTimeoutException.class, () -> CancelScope.cancelAfter(limit, wait::run));
    }

    private static void assertOwes(Coroutine<String, String> coroutine) {
        IllegalStateException thrown =
                assertThrows(IllegalStateException.class, () -> coroutine.resume("too early"));
        assertTrue(String.valueOf(thrown.getMessage()).contains("await"), thrown::toString);
    }

    @Test
    void F5_resumeThatIsLeftOwesItsAnswer() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowEcho(LONG);
                    leave(() -> slow.resume("a"));
                    assertOwes(slow);
                    leave(slow::await);
                    assertOwes(slow);
                    assertEquals("a", slow.await());
                    assertEquals(
                            "b", CancelScope.cancelAfter(LONG.plus(SHORT), () -> slow.resume("b")));
                });
    }

    @Test
    void F5_answerThatCameMeanwhileIsTakenAtOnce() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowEcho(LONG);
                    leave(() -> slow.resume("a"));
                    Fiber.sleep(LONG);
                    assertOwes(slow);
                    assertEquals("a", slow.await());
                    assertThrows(IllegalStateException.class, slow::await);
                    assertEquals("b", slow.resume("b"));
                });
    }

    @Test
    void F5_valueThatIsOwedOutlivesTheCoroutine() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> fibers = new ArrayList<>();
                    Coroutine<String, String> echo =
                            Coroutine.of(
                                    (me, first) -> {
                                        fibers.add(Fiber.current());
                                        Fiber.sleep(LONG);
                                        return me.yield(first);
                                    });
                    leave(() -> echo.resume("a"));
                    Fiber.sleep(LONG);
                    fibers.getFirst().terminate();
                    Runs.settle();
                    assertFalse(echo.isAlive());
                    assertEquals("a", echo.await());
                    assertThrows(IllegalStateException.class, echo::await);
                });
    }

    @Test
    void F6_terminatedOneThatWasLeftOwesNothing() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> fibers = new ArrayList<>();
                    Coroutine<String, String> stuck =
                            Coroutine.of(
                                    (_, _) -> {
                                        fibers.add(Fiber.current());
                                        return String.valueOf(Fiber.suspend());
                                    });
                    leave(() -> stuck.resume(""));
                    fibers.getFirst().terminate();
                    Runs.settle();
                    IllegalStateException thrown =
                            assertThrows(IllegalStateException.class, stuck::await);
                    assertTrue(
                            String.valueOf(thrown.getMessage()).contains("closed or terminated"));
                });
    }

    @Test
    void F16_oneThatLeftAResumeStillEndsWhereItCameFrom() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowResult("slow", LONG, "late");
                    Coroutine<String, String> impatient =
                            Coroutine.of(
                                    (_, _) -> {
                                        leave(() -> slow.resume(""));
                                        return "gave up";
                                    });
                    assertEquals("gave up", impatient.transfer(""));
                    assertEquals("late", slow.await());
                });
    }

    @Test
    void F6_resumeInACancelledScopeRunsNothing() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> logs =
                            Coroutine.of((_, first) -> log.add(first) ? first : "");
                    leave(Duration.ZERO, () -> logs.resume("a"));
                    leave(Duration.ZERO, () -> logs.transfer("a"));
                    Runs.settle();
                    assertEquals(List.of(), log);
                    assertEquals("b", logs.resume("b"));
                });
    }

    @Test
    void F5_resultThatIsOwed() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowResult("slow", LONG, "result");
                    leave(() -> slow.resume(""));
                    Fiber.sleep(LONG);
                    assertFalse(slow.isAlive());
                    assertOwes(slow);
                    assertEquals("result", slow.await());
                });
    }

    @Test
    void F6_terminatedResumerLeavesTheAnswerToTheNext() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowEcho(LONG);
                    Fiber<?> user = Fiber.spin(() -> slow.resume("a"));
                    Fiber.sleep(SHORT);
                    user.terminate();
                    assertTrue(user.awaitEnd(SHORT));
                    assertEquals("a", slow.await());
                });
    }

    @Test
    void F5_terminatedJustBeforeTheAnswer() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> users = new ArrayList<>();
                    Coroutine<String, String> echo =
                            Coroutine.of(
                                    (me, first) -> {
                                        Fiber.sleep(SHORT);
                                        users.getFirst().terminate();
                                        return me.yield(first);
                                    });
                    users.add(Fiber.spin(() -> echo.resume("a")));
                    assertTrue(users.getFirst().awaitEnd(LONG));
                    assertEquals("a", echo.await());
                    assertEquals("b", echo.resume("b"));
                });
    }

    @Test
    void F4_terminatedJustAfterTheAnswer() {
        Runs.fifo(
                () -> {
                    List<String> log = new ArrayList<>();
                    Coroutine<String, String> echo = Coroutine.of((me, first) -> me.yield(first));
                    Fiber<?> user =
                            Fiber.spin(
                                    () -> {
                                        log.add(echo.resume("a"));
                                        Fiber.suspend();
                                    });
                    while (!echo.isAnswering()) {
                        Fiber.snooze();
                    }
                    assertThrows(IllegalStateException.class, echo::await);
                    assertThrows(IllegalStateException.class, () -> echo.resume("b"));
                    user.terminate();
                    assertThrows(FiberTerminatedException.class, user::await);
                    assertEquals(List.of("a"), log);
                    assertEquals("b", echo.resume("b"));
                });
    }

    @Test
    void F5_abandonedWithTheAnswerInItsHands() {
        Runs.fifo(
                () -> {
                    Coroutine<String, String> echo = Coroutine.of((me, first) -> me.yield(first));
                    Fiber<?> user = Fiber.spin(() -> echo.resume("a"));
                    while (!echo.isAnswering()) {
                        Fiber.snooze();
                    }
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Abandonment.abandonChildren(
                            FiberImpl.current(), List.of(user), "the test says so");
                    assertEquals("a", echo.await());
                });
    }

    @Test
    void F5_abandonedBeforeTheAnswer() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowEcho(SHORT);
                    Fiber<?> user = Fiber.spin(() -> slow.resume("a"));
                    Runs.settle();
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Abandonment.abandonChildren(
                            FiberImpl.current(), List.of(user), "the test says so");
                    assertEquals("a", slow.await());
                });
    }

    @Test
    void F16_innerOneLeavesAndAnswersOutside() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowResult("slow", LONG, "late");
                    Coroutine<String, String> impatient =
                            Coroutine.of(
                                    (me, _) -> {
                                        leave(() -> slow.resume(""));
                                        me.yield("gave up");
                                        return slow.await();
                                    });
                    assertEquals("gave up", impatient.resume(""));
                    assertEquals("late", impatient.resume(""));
                });
    }

    @Test
    void F16_awaitOfOneThatHasResumedAnother() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowResult("slow", LONG, "late");
                    Coroutine<String, String> outer = Coroutine.of((_, _) -> slow.resume("") + "r");
                    leave(() -> outer.resume(""));
                    assertEquals("later", outer.await());
                });
    }

    @Test
    void misuse_awaitOfOneThatWaitsForTheCaller() {
        Runs.inAnyOrder(
                () -> {
                    List<Coroutine<String, String>> outer = new ArrayList<>();
                    Coroutine<String, String> inner =
                            Coroutine.of(
                                    (_, _) -> {
                                        Fiber.sleep(LONG);
                                        return String.valueOf(
                                                Runs.failureOf(() -> outer.getFirst().await())
                                                        instanceof DeadlockException);
                                    });
                    outer.add(Coroutine.of((_, _) -> inner.resume("")));
                    leave(() -> outer.getFirst().resume(""));
                    Fiber.sleep(LONG);
                    assertEquals("true", outer.getFirst().await());
                });
    }

    @Test
    void misuse_bodyThatAwaitsWhoResumedIt() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> user = Fiber.current();
                    Coroutine<String, String> body =
                            Coroutine.of("body", (_, _) -> String.valueOf(user.await()));
                    DeadlockException thrown =
                            assertThrows(DeadlockException.class, () -> body.resume(""));
                    assertTrue(
                            String.valueOf(thrown.getMessage())
                                    .contains("body would wait for root"));
                });
    }

    @Test
    void misuse_awaitOfABodyThatAwaitsTheCaller() {
        Runs.inAnyOrder(
                () -> {
                    List<Coroutine<String, String>> late = new ArrayList<>();
                    Fiber<?> user =
                            Fiber.spin(
                                    "user",
                                    () -> {
                                        Coroutine<String, String> body =
                                                Coroutine.of(
                                                        "body",
                                                        (_, _) -> {
                                                            Fiber.sleep(LONG);
                                                            Fiber<?> maker =
                                                                    Fiber.current().parent();
                                                            return maker == null
                                                                    ? ""
                                                                    : String.valueOf(maker.await());
                                                        });
                                        leave(() -> body.resume(""));
                                        Fiber.sleep(LONG);
                                        late.add(body);
                                        assertThrows(DeadlockException.class, body::await);
                                    });
                    user.await();
                    assertFalse(late.getFirst().isAlive());
                });
    }

    @Test
    void F16_transferThatIsLeftGoesOnForNobody() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowResult("slow", LONG, "late");
                    Coroutine<String, String> between =
                            Coroutine.of((_, _) -> "between " + slow.transfer(""));
                    leave(() -> between.transfer(""));
                    assertEquals("late", slow.await());
                    assertEquals("between again", between.transfer("again"));
                });
    }

    @Test
    void misuse_yieldOfATransferredOneThatWasLeft() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow =
                            Coroutine.of(
                                    (me, _) -> {
                                        Fiber.sleep(LONG);
                                        return Runs.failureOf(() -> me.yield("")).toString();
                                    });
                    leave(() -> slow.transfer(""));
                    Fiber.sleep(LONG);
                    assertTrue(slow.await().contains("nobody has resumed it"));
                });
    }

    @Test
    void F16_endOfOneThatWasLeftEndsNoLaterTransfer() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowResult("slow", LONG, "late");
                    Coroutine<String, String> slower =
                            slowResult("slower", LONG.multipliedBy(2), "latest");
                    leave(() -> slow.transfer(""));
                    assertEquals("latest", slower.transfer(""));
                    assertEquals("late", slow.await());
                });
    }

    @Test
    void misuse_awaitOfOneThatHasTransferred() {
        Runs.inAnyOrder(
                () -> {
                    Coroutine<String, String> slow = slowResult("slow", LONG, "late");
                    Coroutine<String, String> away =
                            Coroutine.of((_, _) -> String.valueOf(slow.transfer("")));
                    leave(() -> away.resume(""));
                    IllegalStateException thrown =
                            assertThrows(IllegalStateException.class, away::await);
                    assertTrue(
                            String.valueOf(thrown.getMessage())
                                    .contains("go back to it by transfer"));
                    assertEquals("late", slow.await());
                    assertEquals("back", away.transfer("back"));
                });
    }

    @Test
    void F6_terminatedCoroutineTellsWhoWaits() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> fibers = new ArrayList<>();
                    Coroutine<String, String> victim =
                            Coroutine.of(
                                    "victim",
                                    (_, _) -> {
                                        fibers.add(Fiber.current());
                                        return String.valueOf(Fiber.suspend());
                                    });
                    Fiber<?> killer =
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(SHORT);
                                        fibers.getFirst().terminate();
                                    });
                    assertThrows(FiberTerminatedException.class, () -> victim.resume(""));
                    killer.await();
                    IllegalStateException dead =
                            assertThrows(IllegalStateException.class, () -> victim.resume(""));
                    assertTrue(String.valueOf(dead.getMessage()).contains("closed or terminated"));
                });
    }

    @Test
    void F6_terminatedOneThatWasTransferredToTellsWhoItActedFor() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> fibers = new ArrayList<>();
                    Coroutine<String, String> victim =
                            Coroutine.of(
                                    (_, _) -> {
                                        fibers.add(Fiber.current());
                                        return String.valueOf(Fiber.suspend());
                                    });
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(SHORT);
                                fibers.getFirst().terminate();
                            });
                    assertThrows(FiberTerminatedException.class, () -> victim.transfer(""));
                });
    }

    @Test
    void F6_endOfTheParentRunsTheFinallyBlocksOfAll() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Coroutine<String, String> yields =
                                                guarded(log, "yields", me -> me.yield(""));
                                        Coroutine<String, String> ends =
                                                Coroutine.of((_, _) -> "ends");
                                        Coroutine<String, String> transfers =
                                                guarded(
                                                        log,
                                                        "transfers",
                                                        _ -> String.valueOf(ends.transfer("")));
                                        Coroutine<String, String> resumes =
                                                guarded(
                                                        log,
                                                        "resumes",
                                                        _ -> slowEcho(LONG).resume(""));
                                        yields.resume("");
                                        transfers.transfer("");
                                        leave(() -> resumes.resume(""));
                                    });
                    parent.await();
                    log.sort(null);
                    assertEquals(List.of("resumes", "transfers", "yields"), log);
                });
    }

    private interface Step {
        String take(Coroutine<String, String> me);
    }

    private static Coroutine<String, String> guarded(List<String> log, String name, Step step) {
        return Coroutine.of(
                name,
                (me, _) -> {
                    try {
                        return step.take(me);
                    } finally {
                        log.add(name);
                    }
                });
    }

    @Test
    void F16_raisedIntoFromElsewhereItGoesOnForNobody() {
        Runs.inAnyOrder(
                () -> {
                    List<Fiber<?>> fibers = new ArrayList<>();
                    Coroutine<String, String> tough =
                            Coroutine.of(
                                    (me, _) -> {
                                        fibers.add(Fiber.current());
                                        Runs.failureOf(() -> me.yield("one"));
                                        Throwable second = Runs.failureOf(() -> me.yield("two"));
                                        return String.valueOf(second.getMessage());
                                    });
                    assertEquals("one", tough.resume(""));
                    fibers.getFirst().raise(new Exception("from elsewhere"));
                    IllegalStateException tooLate =
                            assertThrows(IllegalStateException.class, () -> tough.resume(""));
                    assertTrue(String.valueOf(tooLate.getMessage()).contains("was raised"));
                    Runs.settle();
                    assertFalse(tough.isAlive());
                    assertTrue(tough.await().contains("nobody has resumed it"));
                });
    }

    private static @Nullable Action inInitialiser;
    private static final List<Throwable> THROWN = new ArrayList<>();

    private static final class InResume {
        static final int DONE = runInInitialiser();
    }

    private static int runInInitialiser() {
        Action action = inInitialiser;
        if (action != null) {
            THROWN.add(Runs.failureOf(action));
        }
        return 1;
    }

    @Tag("needs-flags")
    @Test
    void F3_resumeInAClassInitialiserIsAnErrorAndTheAnswerIsOwed() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Coroutine<String, String> echo = Coroutine.of((me, first) -> me.yield(first));
                    inInitialiser = () -> echo.resume("a");
                    assertEquals(1, InResume.DONE);
                    assertEquals(
                            List.of(StackPinnedException.class),
                            THROWN.stream().map(Object::getClass).toList());
                    assertOwes(echo);
                    assertEquals("a", echo.await());
                    return echo.resume("b");
                });
    }
}
