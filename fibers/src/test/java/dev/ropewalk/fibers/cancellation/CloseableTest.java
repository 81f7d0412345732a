package dev.ropewalk.fibers.cancellation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.BlockingOptions;
import dev.ropewalk.fibers.blocking.BlockingPool;
import dev.ropewalk.fibers.blocking.Signals;
import dev.ropewalk.fibers.coroutine.Coroutine;
import dev.ropewalk.fibers.coroutine.Generator;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.recurring.Timed;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.sync.ResourceFactory;
import dev.ropewalk.fibers.sync.ResourcePool;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Rule F6: a block of try-with-resources is left by what was raised, whatever ends its fiber and
 * whether its {@code close} is a switchpoint.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CloseableTest {
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration LATER = Duration.ofMillis(20);
    private static final Duration NEVER = Duration.ofDays(1);

    /** Opens something in the current fiber; each is closed by a block that is being left. */
    private interface Opening {
        AutoCloseable open();
    }

    /** A resource whose making and closing waits. */
    private static final class Slow implements ResourceFactory<String> {
        @Override
        public String make() {
            return "made";
        }

        @Override
        public void close(String resource) {
            Fiber.snooze();
        }
    }

    enum Closeable {
        CLOSE_SLEEPS(() -> () -> Fiber.sleep(SHORT)),
        CLOSE_SNOOZES_TWICE(
                () ->
                        () -> {
                            try (AutoCloseable second = Fiber::snooze) {
                                assertNotNull(second);
                                Fiber.snooze();
                            }
                        }),
        CLOSE_AWAITS_THE_DEAD(
                () -> {
                    Fiber<?> dead = Fiber.spin(() -> {});
                    dead.await();
                    return dead::await;
                }),
        CORD(() -> Cord.start("inner")),
        SCHEDULER(() -> Scheduler.start(SchedulerOptions.named("inner").withCords(1))),
        SIGNALS(() -> Signals.open("USR2")),
        BLOCKING_POOL(() -> new BlockingPool(BlockingOptions.named("inner"))),
        RESOURCE_POOL(
                () -> {
                    ResourcePool<String> pool = ResourcePool.localBounded(2, new Slow());
                    pool.borrow().close(); // one that is idle, and closed with the pool
                    return pool;
                }),
        LOAN(() -> ResourcePool.localBounded(2, new Slow()).borrow()),
        LOAN_OF_A_CLOSED_POOL(
                () -> {
                    ResourcePool<String> pool = ResourcePool.localBounded(2, new Slow());
                    AutoCloseable loan = pool.borrow();
                    pool.close();
                    return loan;
                }),
        GENERATOR(
                () -> {
                    Generator<Integer> generator =
                            Generator.of(
                                    out -> {
                                        try {
                                            out.yield(1);
                                            out.yield(2);
                                        } finally {
                                            CancelScope.shielded(
                                                    Duration.ofSeconds(1), () -> Fiber.snooze());
                                        }
                                    });
                    generator.next();
                    return generator;
                }),
        COROUTINE(
                () -> {
                    Coroutine<String, String> echo =
                            Coroutine.of(
                                    (me, first) -> {
                                        me.yield(first);
                                        return "end";
                                    });
                    echo.resume("first");
                    return echo;
                });

        @SuppressWarnings("ImmutableEnumChecker") // it only opens
        private final Opening opening;

        Closeable(Opening opening) {
            this.opening = opening;
        }
    }

    enum Ending {
        TERMINATE,
        STOP,
        LIMIT_THAT_THROWS,
        LIMIT_THAT_MOVES_ON,
        CANCEL,
        FAILURE_OF_A_CHILD,
        RESTART
    }

    static Stream<Arguments> closeablesAndEndings() {
        return Arrays.stream(Closeable.values())
                .flatMap(
                        each ->
                                Arrays.stream(Ending.values())
                                        .map(ending -> Arguments.of(each, ending)));
    }

    @ParameterizedTest
    @MethodSource("closeablesAndEndings")
    void F6_blockIsLeftByWhatWasRaised(Closeable closeable, Ending ending) {
        Reports reports = new Reports();
        Runs.real(
                StackKind.LIGHT,
                reports,
                () -> {
                    Throwable end = endOf(closeable, ending);
                    assertTold(ending, end);
                });
        assertEquals(List.of(), reports.all());
    }

    @ParameterizedTest
    @MethodSource("closeablesAndEndings")
    void F6_blockIsLeftByWhatWasRaisedOnVirtualThreads(Closeable closeable, Ending ending) {
        Reports reports = new Reports();
        Runs.real(
                StackKind.VIRTUAL_THREAD,
                reports,
                () -> {
                    Throwable end = endOf(closeable, ending);
                    assertTold(ending, end);
                });
        assertEquals(List.of(), reports.all());
    }

    /** Waits in a block of try-with-resources; {@code waits} is told each time. */
    private static String block(Closeable closeable, List<String> waits) throws Exception {
        try (AutoCloseable opened = closeable.opening.open()) {
            assertNotNull(opened);
            waits.add("waits");
            if (waits.size() == 1) {
                Fiber.suspend();
            }
        }
        return "done";
    }

    /** How the fiber ended. */
    private static Throwable endOf(Closeable closeable, Ending ending) {
        List<String> waits = new ArrayList<>();
        Fiber<String> fiber = Fiber.spin("closer", () -> bodyOf(closeable, ending, waits));
        Fiber.spin("ender", () -> endOnceItWaits(fiber, ending, waits));
        try {
            return new AssertionError(fiber.await());
        } catch (FiberFailedException failed) {
            return failed;
        }
    }

    private static void endOnceItWaits(Fiber<String> fiber, Ending ending, List<String> waits) {
        while (waits.isEmpty() || fiber.state() == FiberState.RUNNABLE) {
            Fiber.sleep(SHORT);
        }
        switch (ending) {
            case TERMINATE -> fiber.terminate();
            case STOP -> fiber.stop("stopped");
            case RESTART -> fiber.restart();
            case LIMIT_THAT_THROWS, LIMIT_THAT_MOVES_ON, CANCEL, FAILURE_OF_A_CHILD -> {}
        }
    }

    private static String bodyOf(Closeable closeable, Ending ending, List<String> waits)
            throws Exception {
        return switch (ending) {
            case LIMIT_THAT_THROWS -> CancelScope.cancelAfter(LATER, () -> block(closeable, waits));
            case LIMIT_THAT_MOVES_ON ->
                    CancelScope.moveOnAfter(LATER, "moved on", () -> block(closeable, waits));
            case CANCEL -> {
                CancelScope scope = CancelScope.withoutLimit();
                Timed.after(LATER, scope::cancel);
                yield scope.call(() -> block(closeable, waits));
            }
            case FAILURE_OF_A_CHILD -> {
                Timed.after(LATER, CloseableTest::fail);
                yield block(closeable, waits);
            }
            case TERMINATE, STOP, RESTART -> block(closeable, waits);
        };
    }

    private static void fail() {
        throw new IllegalStateException("child");
    }

    private static void assertTold(Ending ending, Throwable end) {
        switch (ending) {
            case TERMINATE -> assertSame(FiberTerminatedException.class, end.getClass());
            case STOP -> assertEquals("stopped", end.getMessage());
            case LIMIT_THAT_THROWS ->
                    assertSame(
                            FiberTimeoutException.class, Runs.cause(end).getClass(), end::toString);
            case LIMIT_THAT_MOVES_ON -> assertEquals("moved on", end.getMessage());
            case CANCEL -> assertSame(CancelledException.class, Runs.cause(end).getClass());
            case FAILURE_OF_A_CHILD -> assertEquals("child", innermost(end).getMessage());
            case RESTART -> assertEquals("done", end.getMessage());
        }
        assertEquals(List.of(), suppressedBelow(end));
    }

    private static Throwable innermost(Throwable thrown) {
        Throwable each = thrown;
        while (each.getCause() != null) {
            each = each.getCause();
        }
        return each;
    }

    private static List<Throwable> suppressedBelow(Throwable thrown) {
        List<Throwable> all = new ArrayList<>();
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            all.addAll(List.of(each.getSuppressed()));
        }
        return all;
    }

    // ---------------------------------------------------------------- what is thrown

    @Test
    void F6_eachRaiseIsAFreshSignal() {
        Runs.inAnyOrder(
                () -> {
                    List<Throwable> raised = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        for (int i = 0; i < 3; i++) {
                                            raised.add(Runs.failureOf(Fiber::suspend));
                                        }
                                    });
                    Runs.settle();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(3, raised.stream().distinct().count());
                });
    }

    /** The failure of one clean-up is kept; the raises in the others are no failures. */
    @Test
    void F6_whatCleanUpSuppressedInTheRaiseIsKept() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException bad = new IllegalStateException("bad close");
                    FiberTimeoutException thrown =
                            assertThrows(
                                    FiberTimeoutException.class,
                                    () -> CancelScope.cancelAfter(SHORT, () -> closeThree(bad)));
                    assertEquals(List.of(bad), List.of(thrown.getSuppressed()));
                });
    }

    private static void closeThree(RuntimeException bad) throws Exception {
        try (AutoCloseable first = Fiber::snooze;
                AutoCloseable second =
                        () -> {
                            throw bad;
                        };
                AutoCloseable third = Fiber::snooze) {
            assertNotNull(first);
            assertNotNull(second);
            assertNotNull(third);
            Fiber.suspend();
        }
    }

    @Test
    void F6_cleanUpThatFailsAfterARaiseCarriesItOnce() {
        Runs.inAnyOrder(
                () -> {
                    IllegalStateException bad = new IllegalStateException("bad clean-up");
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        try (AutoCloseable snoozes = Fiber::snooze) {
                                            assertNotNull(snoozes);
                                            Runs.failureOf(Fiber::suspend);
                                            throw bad;
                                        }
                                    });
                    Runs.settle();
                    fiber.terminate();
                    Throwable failed = Runs.failureOf(fiber::await);
                    assertSame(bad, Runs.cause(failed));
                    List<Throwable> hidden = List.of(bad.getSuppressed());
                    assertEquals(1, hidden.size(), hidden::toString);
                    assertTrue(hidden.getFirst() instanceof Unwind.Terminate);
                });
    }

    /** An end that comes while a scope is being left is neither lost nor reported as a failure. */
    @Test
    void F6_terminationDuringTheCleanUpOfALimitEndsTheFiber() {
        Reports reports = new Reports();
        Runs.<@Nullable Object>virtual(
                reports,
                () -> {
                    boolean[] wentOn = {false};
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber<?> me = Fiber.current();
                                        CancelScope.moveOnAfter(
                                                SHORT,
                                                () -> {
                                                    try (AutoCloseable ends =
                                                            () -> {
                                                                me.terminate();
                                                                Fiber.snooze();
                                                            }) {
                                                        assertNotNull(ends);
                                                        Fiber.suspend();
                                                    }
                                                });
                                        wentOn[0] = true;
                                        Fiber.snooze();
                                        throw new AssertionError("it was not ended");
                                    });
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertTrue(wentOn[0]);
                    return null;
                });
        assertEquals(List.of(), reports.all());
    }

    /** The time limit of the whole passes through resources that the block inside has open. */
    @Test
    void F6_outerLimitPassesThroughInnerScopesAndResources() {
        Runs.inAnyOrder(
                () ->
                        assertFalse(
                                CancelScope.moveOnAfter(
                                        SHORT,
                                        () ->
                                                CancelScope.cancelAfter(
                                                        NEVER,
                                                        () -> {
                                                            try (AutoCloseable c = Fiber::snooze) {
                                                                assertNotNull(c);
                                                                Fiber.suspend();
                                                            }
                                                        }))));
    }
}
