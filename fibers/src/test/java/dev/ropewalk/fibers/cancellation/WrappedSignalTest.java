package dev.ropewalk.fibers.cancellation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Once;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Rule F6: a signal that something has wrapped is known again at the edge that owns it. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WrappedSignalTest {
    private static final Duration SHORT = Duration.ofMillis(3);
    private static final Duration FAR = Duration.ofDays(1);

    private static Object sleep() {
        Fiber.sleep(FAR);
        return "slept";
    }

    private static Callable<Object> sleeping(Wrapping wrapping) {
        return () -> wrapping.call(WrappedSignalTest::sleep);
    }

    @ParameterizedTest
    @EnumSource
    void F6_moveOnAfterKnowsItsSignalAndReportsNoWrapper(Wrapping wrapping) {
        Runs.cleanly(
                () -> {
                    Object other =
                            CancelScope.moveOnAfter(SHORT, "other", sleeping(wrapping)::call);
                    assertEquals("other", other);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_cancelAfterSuppressesWhatHasWrappedItsSignal(Wrapping wrapping) {
        Runs.cleanly(
                () -> {
                    FiberTimeoutException passed =
                            assertThrows(
                                    FiberTimeoutException.class,
                                    () ->
                                            CancelScope.cancelAfter(
                                                    SHORT, () -> sleeping(wrapping).call()));
                    assertEquals(wrapping == Wrapping.NONE ? 0 : 1, passed.getSuppressed().length);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_innerScopeLeavesASignalOfTheOuterOneToIt(Wrapping wrapping) {
        Runs.cleanly(
                () ->
                        assertFalse(
                                CancelScope.moveOnAfter(
                                        SHORT,
                                        () -> {
                                            wrapping.call(
                                                    () ->
                                                            CancelScope.moveOnAfter(
                                                                    FAR,
                                                                    "inner",
                                                                    sleeping(wrapping)::call));
                                        })));
    }

    @ParameterizedTest
    @EnumSource
    void F7_terminatedChildDoesNotFailItsParent(Wrapping wrapping) {
        Runs.cleanly(
                () -> {
                    Fiber<Object> kid = Fiber.spin("kid", sleeping(wrapping));
                    Runs.settle();
                    kid.terminate();
                    assertTrue(kid.awaitEnd(FAR));
                    assertEquals(FiberTerminatedException.class, notNull(kid.failure()).getClass());
                    Fiber.sleep(SHORT);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_stopHasItsResult(Wrapping wrapping) {
        Runs.cleanly(
                () -> {
                    Fiber<Object> kid = Fiber.spin("kid", sleeping(wrapping));
                    Runs.settle();
                    kid.stop("stopped");
                    assertEquals("stopped", kid.await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_restartRunsTheBodyAgain(Wrapping wrapping) {
        Runs.cleanly(
                () -> {
                    int[] runs = new int[1];
                    Fiber<Object> kid =
                            Fiber.spin(
                                    "kid",
                                    () -> ++runs[0] > 2 ? "done" : sleeping(wrapping).call());
                    Runs.settle();
                    kid.restart();
                    Runs.settle();
                    kid.restart();
                    assertEquals("done", kid.await());
                    assertEquals(3, runs[0]);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_scopeThatIsCancelledByAFailureThrowsThat(Wrapping wrapping) {
        Runs.cleanly(
                () -> {
                    FiberFailedException failed =
                            assertThrows(
                                    FiberFailedException.class,
                                    () ->
                                            Scope.run(
                                                    scope -> {
                                                        scope.spin("bad", () -> fail("bad"));
                                                        sleeping(wrapping).call();
                                                    }));
                    assertEquals("bad", Runs.cause(failed).getMessage());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_failureOfAChildFailsTheParentAsItself(Wrapping wrapping) {
        Runs.cleanly(
                () -> {
                    Fiber<?> parent =
                            Fiber.spin(
                                    "parent",
                                    () -> {
                                        Fiber.spin("bad", () -> fail("bad"));
                                        return sleeping(wrapping).call();
                                    });
                    Throwable thrown = Runs.failureOf(parent::await);
                    assertEquals("bad", Runs.cause(Runs.cause(thrown)).getMessage());
                });
    }

    private static void fail(String message) {
        throw new IllegalStateException(message);
    }

    /** The runner is left, and the next caller runs the block. */
    @ParameterizedTest
    @EnumSource
    void F6_onceDoesNotTakeASignalForTheFailureOfItsBlock(Wrapping wrapping) {
        Runs.cleanly(
                () -> {
                    int[] runs = new int[1];
                    Once<Object> once =
                            Once.local(() -> ++runs[0] > 1 ? "value" : sleeping(wrapping).call());
                    assertFalse(CancelScope.moveOnAfter(SHORT, () -> once.get()));
                    assertEquals("value", once.get());
                });
    }

    /** Java forgets the signal then; there is nothing that could be known again. */
    @Test
    void F6_whatAFinallyThrowsTakesThePlaceOfTheSignal() {
        Runs.cleanly(
                () -> {
                    IllegalStateException own = new IllegalStateException("own");
                    assertSame(
                            own,
                            Runs.failureOf(
                                    () ->
                                            CancelScope.moveOnAfter(
                                                    SHORT,
                                                    () -> {
                                                        try {
                                                            sleep();
                                                        } finally {
                                                            cleanUp(own);
                                                        }
                                                    })));
                });
    }

    private static void cleanUp(RuntimeException broken) {
        throw broken;
    }

    /** What clean-up failed of is told, also if a wrapper carries it. */
    @Test
    void F6_failureOfCleanUpInAWrapperIsReported() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () ->
                        CancelScope.moveOnAfter(
                                SHORT,
                                "other",
                                () -> {
                                    try {
                                        return sleeping(Wrapping.REFLECTION).call();
                                    } catch (Throwable t) {
                                        IOException wrapper = new IOException(t);
                                        wrapper.addSuppressed(new IllegalStateException("close"));
                                        throw wrapper;
                                    }
                                }));
        assertEquals(IOException.class, reports.only().failure().getClass());
    }

    /** It is over, so to take it out again ends nothing. */
    @Test
    void F6_signalThatAFutureKeptAfterItsScopeWasLeftIsAFailure() {
        Runs.cleanly(
                () -> {
                    List<CompletableFuture<Object>> kept = new ArrayList<>();
                    assertFalse(
                            CancelScope.moveOnAfter(
                                    SHORT,
                                    () -> {
                                        kept.add(
                                                CompletableFuture.supplyAsync(
                                                        WrappedSignalTest::sleep, Runnable::run));
                                        kept.getFirst().join();
                                    }));
                    CompletionException late =
                            assertThrows(CompletionException.class, () -> kept.getFirst().join());
                    assertFalse(Waits.isSignal(late));
                    assertSame(
                            late,
                            assertThrows(
                                    CompletionException.class,
                                    () ->
                                            CancelScope.moveOnAfter(
                                                    SHORT,
                                                    () -> {
                                                        throw late;
                                                    })));
                });
    }

    @Test
    void F6_signalOfAnotherFiberIsAFailureHere() {
        Runs.cleanly(
                () -> {
                    CompletableFuture<Object> passed = new CompletableFuture<>();
                    Fiber<?> other =
                            Fiber.spin(
                                    "other",
                                    () -> {
                                        try {
                                            sleep();
                                        } catch (Throwable t) {
                                            passed.completeExceptionally(t);
                                            throw t;
                                        }
                                    });
                    Runs.settle();
                    other.terminate();
                    other.awaitEnd(FAR);
                    Fiber<?> here = Fiber.spin("here", () -> passed.join());
                    assertThrows(FiberFailedException.class, here::await);
                    assertTrue(here.failure() instanceof CompletionException);
                });
    }

    @Test
    void F6_circleOfCausesIsNoSignal() {
        Runs.cleanly(
                () -> {
                    IllegalStateException first = new IllegalStateException("first");
                    first.initCause(new IllegalStateException("second", first));
                    assertFalse(Waits.isSignal(first));
                    assertSame(
                            first,
                            assertThrows(
                                    IllegalStateException.class,
                                    () ->
                                            CancelScope.moveOnAfter(
                                                    Duration.ZERO,
                                                    () -> {
                                                        throw first;
                                                    })));
                });
    }

    @Test
    void F6_causeThatCannotBeAskedForIsNoSignal() {
        Runs.cleanly(
                () -> {
                    Fiber<?> kid =
                            Fiber.spin(
                                    "kid",
                                    () -> {
                                        throw new Broken();
                                    });
                    assertThrows(FiberFailedException.class, kid::await);
                });
    }

    private static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public synchronized @Nullable Throwable getCause() {
            throw new IllegalStateException("no cause");
        }
    }

    /** The loop tries again after every exception, and a proxy makes one of the signal. */
    @Test
    void F6_loopThatTriesAgainAsksWhetherItIsASignal() {
        Runs.cleanly(
                () -> {
                    int[] rounds = new int[1];
                    assertFalse(
                            CancelScope.moveOnAfter(
                                    SHORT,
                                    () -> {
                                        for (; ; ) {
                                            try {
                                                rounds[0]++;
                                                sleeping(Wrapping.PROXY).call();
                                            } catch (Exception e) {
                                                Waits.throwIfSignal(e);
                                            }
                                        }
                                    }));
                    assertEquals(1, rounds[0]);
                });
    }

    private static Throwable notNull(@Nullable Throwable failure) {
        assertNotNull(failure);
        return failure;
    }

    @Test
    void isSignal_ofAPlainThreadIsNone() {
        assertFalse(Waits.isSignal(new IllegalStateException(new IOException("x"))));
        assertNull(Waits.signalIn(new IllegalStateException(new IOException("x"))));
    }
}
