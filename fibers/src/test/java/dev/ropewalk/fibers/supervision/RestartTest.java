package dev.ropewalk.fibers.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rules F6 and F7: stop with a result, restart, respawn. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class RestartTest {
    private static final Duration FAR = Duration.ofDays(1);

    @Test
    void F6_stopEndsAFiberWithAResult() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<String> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.sleep(FAR);
                                            return "own";
                                        } finally {
                                            log.add("cleaned");
                                        }
                                    });
                    Runs.settle();
                    fiber.stop("given");
                    assertEquals("given", fiber.await());
                    assertEquals("given", fiber.await());
                    assertNull(fiber.failure());
                    assertEquals(List.of("cleaned"), log);
                    fiber.stop("later");
                    assertEquals("given", fiber.await());
                });
    }

    @Test
    void F6_stopBeforeTheStartNeverRunsTheBody() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<Integer> fiber =
                            Fiber.spin(
                                    () -> {
                                        throw new IllegalStateException("it ran");
                                    });
                    fiber.stop(42);
                    assertEquals(42, fiber.await());
                });
    }

    @Test
    void F6_firstOfStopAndTerminateStands() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<String> stopped = Fiber.spin(() -> after("own"));
                    Fiber<String> terminated = Fiber.spin(() -> after("own"));
                    Runs.settle();
                    stopped.stop("given");
                    stopped.terminate();
                    terminated.terminate();
                    terminated.stop("given");
                    assertEquals("given", stopped.await());
                    assertThrows(FiberTerminatedException.class, terminated::await);
                });
    }

    private static String after(String value) {
        Fiber.sleep(FAR);
        return value;
    }

    @Test
    void F6_failureWhileStoppingIsTheOutcome() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<String> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            return after("own");
                                        } finally {
                                            failInCleanUp();
                                        }
                                    });
                    Runs.settle();
                    fiber.stop("given");
                    assertEquals("clean-up", Runs.cause(Runs.failureOf(fiber::await)).getMessage());
                });
    }

    private static void failInCleanUp() {
        throw new IllegalStateException("clean-up");
    }

    @Test
    void F6_whatAStopSuppressedIsReported() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () -> {
                    Fiber<String> fiber =
                            Fiber.spin(
                                    "closer",
                                    () -> {
                                        try (AutoCloseable bad = RestartTest::failInCleanUp) {
                                            assertNotNull(bad);
                                            return after("own");
                                        }
                                    });
                    Runs.settle();
                    fiber.stop("given");
                    assertEquals("given", fiber.await());
                    return null;
                });
        assertEquals("closer", reports.only().fiber().name());
        Throwable told = reports.only().failure();
        assertSame(FiberFailedException.class, told.getClass());
        assertEquals("clean-up", Runs.cause(told).getMessage());
    }

    @Test
    void F6_restartRunsTheBodyAgainInTheSameFiberWhileAwaitersWait() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<String> fiber =
                            Fiber.spin(
                                    () -> {
                                        log.add("begun by " + Fiber.current().id());
                                        try {
                                            return (String) Fiber.suspend();
                                        } finally {
                                            log.add("left");
                                        }
                                    });
                    Fiber<String> awaiter = Fiber.spin(fiber::await);
                    Runs.settle();
                    fiber.restart();
                    Runs.settle();
                    assertEquals(FiberState.WAITING, awaiter.state());
                    fiber.schedule("result");
                    assertEquals("result", awaiter.await());
                    String begun = "begun by " + fiber.id();
                    assertEquals(List.of(begun, "left", begun, "left"), log);
                });
    }

    @Test
    void F7_restartEndsTheChildrenFirst() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        log.add("begun");
                                        Fiber.spin(
                                                () -> {
                                                    try {
                                                        Fiber.sleep(FAR);
                                                    } finally {
                                                        log.add("child ended");
                                                    }
                                                });
                                        Fiber.suspend();
                                    });
                    Runs.settle();
                    fiber.restart();
                    Runs.settle();
                    assertEquals(List.of("begun", "child ended", "begun"), log);
                    fiber.terminate();
                    fiber.awaitEnd(FAR);
                });
    }

    /** Where Polyphony runs the old and the new fiber. */
    @Test
    void F6_restartBeforeTheStartRunsTheBodyOnce() {
        Runs.inAnyOrder(
                () -> {
                    int[] runs = new int[1];
                    Fiber<?> fiber = Fiber.spin(() -> runs[0]++);
                    fiber.restart();
                    fiber.await();
                    assertEquals(1, runs[0]);
                });
    }

    @Test
    void F6_restartAfterTheLastSwitchpointStillTakesPlace() {
        Runs.fifo(
                () -> {
                    int[] runs = new int[1];
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        if (++runs[0] < 3) {
                                            Fiber.current().restart();
                                        }
                                    });
                    fiber.await();
                    assertEquals(3, runs[0]);
                });
    }

    @Test
    void F4_terminationBeatsARestartAndARestartBeatsAFailure() {
        Reports reports = new Reports();
        int[] runs = new int[1];
        Runs.virtual(
                reports,
                () -> {
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        runs[0]++;
                                        Fiber.suspend();
                                    });
                    Runs.settle();
                    fiber.raise(new IllegalStateException("hidden"));
                    fiber.restart();
                    Runs.settle();
                    assertEquals(2, runs[0]);
                    fiber.restart();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    return null;
                });
        assertEquals(2, runs[0]);
        assertEquals("hidden", reports.only().failure().getMessage());
    }

    @Test
    void F6_failureWhileRestartingEndsTheFiber() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            failInCleanUp();
                                        }
                                    });
                    Runs.settle();
                    fiber.restart();
                    assertEquals("clean-up", Runs.cause(Runs.failureOf(fiber::await)).getMessage());
                });
    }

    @Test
    void F6_restartOfTheRootRunsTheProgramAgain() {
        int[] runs = new int[1];
        String result =
                Runs.virtual(
                        new Reports(),
                        () -> {
                            if (++runs[0] == 1) {
                                Fiber.current().restart();
                                Fiber.snooze();
                            }
                            return "run " + runs[0];
                        });
        assertEquals("run 2", result);
    }

    @Test
    void F6_restartGivesWaySoThatItStarvesNobody() {
        Runs.fifo(
                () -> {
                    int[] runs = new int[1];
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        runs[0]++;
                                        Fiber.current().restart();
                                    });
                    Runs.snooze(10);
                    assertEquals(10, runs[0]);
                    fiber.terminate();
                    fiber.awaitEnd(FAR);
                });
    }

    @Test
    void F6_respawnMakesANewFiberOfADeadOne() {
        Runs.inAnyOrder(
                () -> {
                    int[] runs = new int[1];
                    Fiber<Integer> first = Fiber.spin("worker", () -> ++runs[0]);
                    assertEquals(1, first.await());
                    Fiber<Integer> second = first.respawn();
                    assertNotSame(first, second);
                    assertEquals(2, second.await());
                    assertEquals(1, first.await(), "the dead one keeps its result");
                    assertEquals("worker", second.name());
                    assertSame(first.parent(), second.parent());
                    assertTrue(second.id() > first.id());
                });
    }

    @Test
    void misuse_restartOfTheDeadAndRespawnOfTheLiving() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> fiber = Fiber.spin(() -> Fiber.suspend());
                    assertTrue(Runs.failureOf(fiber::respawn).toString().contains("is alive"));
                    fiber.terminate();
                    fiber.awaitEnd(FAR);
                    assertTrue(Runs.failureOf(fiber::restart).toString().contains("respawn()"));
                    Fiber<?> root = Fiber.current();
                    assertTrue(Runs.failureOf(root::respawn).toString().contains("is alive"));
                    Fiber<?> handler = Cord.current().spinHandler("handler", value -> Handler.WAIT);
                    assertTrue(Runs.failureOf(handler::restart).toString().contains("handler"));
                    handler.terminate();
                    handler.awaitEnd(FAR);
                    assertTrue(Runs.failureOf(handler::respawn).toString().contains("handler"));
                });
    }

    @Test
    void misuse_respawnBelowADeadParent() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<Fiber<?>> parent = Fiber.spin(() -> Fiber.spin(() -> 1));
                    Fiber<?> child = parent.await();
                    child.awaitEnd(FAR);
                    Throwable thrown = Runs.failureOf(child::respawn);
                    assertTrue(thrown.toString().contains("has ended"), thrown::toString);
                });
    }

    @Test
    void F6_stopAndRestartFromAnotherThread() {
        Reports reports = new Reports();
        Cord cord = Runs.started("other", reports);
        int[] runs = new int[1];
        Fiber<String> fiber =
                cord.spin(
                        "target",
                        () -> {
                            if (++runs[0] == 1) {
                                Fiber.sleep(FAR);
                            }
                            return (String) Fiber.suspend();
                        });
        Runs.until(() -> fiber.state() == FiberState.WAITING);
        fiber.restart();
        fiber.stop("given");
        assertEquals("given", fiber.await());
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    private static Fiber<String> endingSlowly() {
        return Fiber.spin(
                () -> {
                    Fiber.spin(
                            () -> {
                                try {
                                    Fiber.sleep(FAR);
                                } finally {
                                    CancelScope.shielded(
                                            FAR, () -> Fiber.sleep(Duration.ofMillis(1)));
                                }
                            });
                    return after("own");
                });
    }

    @Test
    void F6_secondTerminationWhileChildrenEndIsNoError() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> parent = endingSlowly();
                    Runs.settle();
                    parent.terminate();
                    Runs.settle();
                    assertTrue(FiberImpl.of(parent).isEnding());
                    parent.terminate();
                    parent.restart();
                    parent.awaitEnd(FAR);
                    assertTrue(parent.failure() instanceof FiberTerminatedException);
                });
    }

    @Test
    void F6_resultOfAStopIsNotLostToALaterTermination() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<String> parent = endingSlowly();
                    Runs.settle();
                    parent.stop("given");
                    Runs.settle();
                    assertTrue(FiberImpl.of(parent).isEnding());
                    parent.terminate();
                    assertEquals("given", parent.await());
                });
    }

    @Test
    void F4_failureBehindARestartIsKeptByATermination() {
        Runs.inAnyOrder(
                () -> {
                    Fiber<?> fiber = Fiber.spin(() -> Fiber.suspend());
                    Runs.settle();
                    fiber.raise(new IllegalStateException("hidden"));
                    fiber.restart();
                    fiber.terminate();
                    Throwable end = Runs.failureOf(fiber::await);
                    assertEquals(1, Runs.cause(end).getSuppressed().length);
                });
    }
}
