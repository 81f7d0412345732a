package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Fibers that keep no stack between their turns (rules F3 and F4). */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class HandlerTest {
    /** Logs its values; "end" ends it, "again" asks for a turn more, an exception is thrown. */
    private static final class Logging implements Handler {
        private final List<@Nullable Object> log = new ArrayList<>();
        private final List<@Nullable Throwable> ends = new ArrayList<>();
        private boolean takesCare;

        @Override
        public @Nullable Object handle(@Nullable Object value) throws Exception {
            log.add(value);
            if (value instanceof Exception thrown) {
                throw thrown;
            }
            if (value instanceof Action action) {
                action.run();
            }
            if ("again".equals(value)) {
                return "once more";
            }
            return "end".equals(value) ? END : WAIT;
        }

        @Override
        public boolean onEnd(Fiber<?> fiber, @Nullable Throwable failure) {
            assertEquals(FiberState.DEAD, fiber.state());
            ends.add(failure);
            return takesCare;
        }
    }

    private final Logging handler = new Logging();

    private Fiber<?> spin() {
        handler.log.clear();
        handler.ends.clear();
        Fiber<?> fiber = Cord.current().spinHandler("handler", handler);
        Runs.settle();
        return fiber;
    }

    private static void turn(Fiber<?> fiber, @Nullable Object value) {
        assertTrue(Waits.resumeHandler(fiber, value));
        Runs.settle();
    }

    @Test
    void F4_eachValueIsOneTurn() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber = spin();
                    assertEquals(FiberState.WAITING, fiber.state());
                    assertSame(handler, Waits.handler(fiber));
                    turn(fiber, 1);
                    turn(fiber, null);
                    turn(fiber, "again");
                    turn(fiber, "end");
                    assertEquals(FiberState.DEAD, fiber.state());
                    assertNull(fiber.await());
                    assertNull(Waits.handler(fiber));
                    List<@Nullable Object> expected = new ArrayList<>();
                    expected.add(Handler.START);
                    expected.add(1);
                    expected.add(null);
                    expected.addAll(List.of("again", "once more", "end"));
                    assertEquals(expected, handler.log);
                    assertNull(handler.ends.getFirst());
                    assertEquals(1, handler.ends.size());
                    assertFalse(Waits.resumeHandler(fiber, "dead"));
                });
    }

    @Test
    void F4_valueIsTakenOnlyBetweenTwoTurns() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber = Cord.current().spinHandler("handler", handler);
                    assertFalse(Waits.resumeHandler(fiber, "not started"));
                    Runs.settle();
                    assertTrue(Waits.resumeHandler(fiber, "first"));
                    assertFalse(Waits.resumeHandler(fiber, "second"));
                    Runs.settle();
                    Action sleeping = () -> Fiber.sleep(Duration.ofSeconds(1));
                    turn(fiber, sleeping);
                    assertFalse(Waits.resumeHandler(fiber, "in a turn"));
                    assertFalse(fiber.schedule("in a turn"));
                    Fiber.sleep(Duration.ofSeconds(1));
                    turn(fiber, "last");
                    assertEquals("last", handler.log.getLast());
                    assertFalse(handler.log.contains("second"));
                    turn(fiber, "end");
                });
    }

    @Test
    void F4_nextTurnComesAfterTheOthers() {
        Runs.fifo(
                () -> {
                    Fiber<?> fiber = spin();
                    Waits.resumeHandler(fiber, "again");
                    Fiber.spin(() -> handler.log.add("other"));
                    Runs.settle();
                    assertEquals(
                            List.of(Handler.START, "again", "other", "once more"), handler.log);
                });
    }

    @Test
    void F7_turnThatThrowsEndsTheFiberWithThatFailure() {
        Runs.cleanly(
                () -> {
                    Exception boom = new Exception("boom");
                    Fiber<?> fiber = spin();
                    Waits.resumeHandler(fiber, boom);
                    FiberFailedException thrown =
                            assertThrows(FiberFailedException.class, fiber::await);
                    assertSame(boom, Runs.cause(thrown));
                    assertEquals(1, handler.ends.size());
                    assertSame(boom, handler.ends.getFirst());
                });
    }

    @Test
    void F7_handlerThatTakesCareOfItsFailureSparesTheParent() {
        Runs.cleanly(
                () -> {
                    handler.takesCare = true;
                    Fiber<?> fiber = spin();
                    turn(fiber, new Exception("boom"));
                    assertEquals(FiberState.DEAD, fiber.state());
                    assertEquals(1, handler.ends.size());
                    Fiber.snooze();
                    handler.takesCare = false;
                });
    }

    @Test
    void F6_terminatedBetweenTwoTurnsHasNoOtherTurn() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber = spin();
                    fiber.terminate();
                    assertFalse(Waits.resumeHandler(fiber, "too late"));
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of(Handler.START), handler.log);
                    assertTrue(handler.ends.getFirst() instanceof FiberTerminatedException);
                    assertEquals(1, handler.ends.size());
                });
    }

    @Test
    void F6_terminatedInATurnThatWaits() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber = spin();
                    Action sleeping = () -> Fiber.sleep(Duration.ofSeconds(1));
                    turn(fiber, sleeping);
                    long before = Cord.current().nanoTime();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(before, Cord.current().nanoTime());
                });
    }

    @Test
    void F6_terminatedInATurnThatDoesNotWaitEndsAfterIt() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber = spin();
                    Action terminating = () -> Fiber.current().terminate();
                    Waits.resumeHandler(fiber, terminating);
                    assertThrows(FiberTerminatedException.class, fiber::await);
                });
    }

    /** "Cancelled" means "it did not happen"; what was accepted did happen. */
    @Test
    void F4_valueGivenToAHandlerIsNotLostToALaterRaise() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber = spin();
                    assertTrue(Waits.resumeHandler(fiber, "accepted"));
                    fiber.raise(new IllegalStateException("later"));
                    assertThrows(FiberFailedException.class, fiber::await);
                    assertEquals(List.of(Handler.START, "accepted"), handler.log);
                });
    }

    @Test
    void F4_valueGivenToAHandlerIsNotLostToALaterTermination() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber = spin();
                    assertTrue(Waits.resumeHandler(fiber, "accepted"));
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of(Handler.START, "accepted"), handler.log);
                });
    }

    @Test
    void F7_childrenOfAHandlerLiveAcrossItsTurnsAndEndWithIt() {
        Runs.cleanly(
                () -> {
                    List<Fiber<?>> children = new ArrayList<>();
                    Fiber<?> fiber = spin();
                    Action spinning = () -> children.add(Fiber.spin(() -> Fiber.suspend()));
                    turn(fiber, spinning);
                    turn(fiber, "other turn");
                    assertEquals(FiberState.WAITING, children.getFirst().state());
                    turn(fiber, "end");
                    assertEquals(FiberState.DEAD, children.getFirst().state());
                    assertEquals(FiberState.DEAD, fiber.state());
                });
    }

    @Test
    void F7_failingChildEndsAHandlerBetweenItsTurns() {
        Runs.cleanly(
                () -> {
                    Exception boom = new Exception("boom");
                    Fiber<?> fiber = spin();
                    Action spinning =
                            () ->
                                    Fiber.spin(
                                            () -> {
                                                throw boom;
                                            });
                    Waits.resumeHandler(fiber, spinning);
                    Throwable failure = Runs.failureOf(fiber::await);
                    assertSame(boom, Runs.cause(Runs.cause(failure)));
                });
    }

    @Test
    void F4_turnThatReturnsNothingIsAnErrorThatSaysSo() {
        Runs.cleanly(
                () -> {
                    Fiber<?> fiber = Cord.current().spinHandler("nothing", value -> null);
                    Throwable failure = Runs.failureOf(fiber::await);
                    assertTrue(failure.toString().contains("WAIT"), failure::toString);
                });
    }

    @Test
    void F7_brokenOnEndIsReported() {
        Reports reports = new Reports();
        RuntimeException broken = new IllegalStateException("broken");
        Runs.virtual(
                reports,
                () -> {
                    Fiber<?> fiber =
                            Cord.current()
                                    .spinHandler(
                                            "broken",
                                            new Handler() {
                                                @Override
                                                public @Nullable Object handle(
                                                        @Nullable Object value) {
                                                    return END;
                                                }

                                                @Override
                                                public boolean onEnd(
                                                        Fiber<?> fiber,
                                                        @Nullable Throwable failure) {
                                                    throw broken;
                                                }
                                            });
                    return fiber.await();
                });
        assertSame(broken, reports.only().failure());
    }

    // ---------------------------------------------------------------- clean-up

    /** Ends at its first value, and cleans up. */
    private record CleaningUp(Action action) implements Handler {
        @Override
        public Object handle(@Nullable Object value) {
            return value == START ? WAIT : END;
        }

        @Override
        public void cleanUp(Fiber<?> fiber, @Nullable Throwable failure) throws Exception {
            action.run();
        }
    }

    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);
    private static final Duration FAR = Duration.ofDays(1);

    @Test
    void F6_scopeInCleanUpWorksAndHoldsOffWhatComesFromOutside() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Action cleanUp =
                            () -> {
                                boolean done =
                                        CancelScope.moveOnAfter(LONG, () -> Fiber.sleep(FAR));
                                log.add("done=" + done);
                                Fiber.sleep(SHORT);
                                log.add("slept");
                            };
                    Fiber<?> fiber = Cord.current().spinHandler("handler", new CleaningUp(cleanUp));
                    Runs.settle();
                    long before = Cord.current().nanoTime();
                    fiber.terminate();
                    Fiber.sleep(SHORT);
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("done=false", "slept"), log);
                    assertEquals(LONG.plus(SHORT).toNanos(), Cord.current().nanoTime() - before);
                });
    }

    @Test
    void F6_scopeInCleanUpDoesNotCutTheEndOfAScopeInsideIt() {
        Runs.cleanly(
                () -> {
                    List<String> log = new ArrayList<>();
                    Action cleanUp =
                            () ->
                                    CancelScope.moveOnAfter(
                                            SHORT,
                                            () -> {
                                                try {
                                                    Scope.run(
                                                            scope -> {
                                                                scope.spin(
                                                                        "member",
                                                                        () -> endsLate(log));
                                                                Fiber.sleep(FAR);
                                                            });
                                                } finally {
                                                    log.add("scope");
                                                }
                                            });
                    Fiber<?> fiber = Cord.current().spinHandler("handler", new CleaningUp(cleanUp));
                    Runs.settle();
                    long before = Cord.current().nanoTime();
                    turn(fiber, "end");
                    fiber.await();
                    assertEquals(List.of("member", "scope"), log);
                    assertEquals(LONG.plus(SHORT).toNanos(), Cord.current().nanoTime() - before);
                });
    }

    private static @Nullable Object endsLate(List<String> log) {
        try {
            Fiber.sleep(FAR);
        } finally {
            CancelScope.shielded(FAR, () -> Fiber.sleep(LONG));
            log.add("member");
        }
        return null;
    }
}
