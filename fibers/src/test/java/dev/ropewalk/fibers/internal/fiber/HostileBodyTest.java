package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.UncaughtHandler;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Bodies that do their worst: the fiber ends, its cord goes on, and somebody is told. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HostileBodyTest {
    private static final Duration SHORT = Duration.ofMillis(1);

    private static void run(StackKind stacks, Action body) {
        Reports reports = new Reports();
        Runs.real(stacks, reports, body);
        reports.assertNone();
    }

    private static int recurse(int depth) {
        return depth < 0 ? 0 : recurse(depth + 1) + 1;
    }

    @ParameterizedTest
    @EnumSource
    void F7_stackOverflowEndsTheFiberAndNotTheCord(StackKind stacks) {
        run(
                stacks,
                () -> {
                    Fiber<Integer> deep = Fiber.spin(() -> recurse(0));
                    Throwable thrown = Runs.failureOf(deep::await);
                    assertTrue(Runs.cause(thrown) instanceof StackOverflowError, thrown::toString);
                    Fiber.sleep(SHORT);
                    assertEquals("fine", Fiber.spin(() -> "fine").await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_outOfMemoryEndsTheFiberAndNotTheCord(StackKind stacks) {
        run(
                stacks,
                () -> {
                    Fiber<Integer> greedy =
                            Fiber.spin(
                                    () -> {
                                        long[][] much = new long[Integer.MAX_VALUE - 2][];
                                        return much.length;
                                    });
                    Throwable thrown = Runs.failureOf(greedy::await);
                    assertTrue(Runs.cause(thrown) instanceof OutOfMemoryError, thrown::toString);
                    Fiber.sleep(SHORT);
                    assertEquals("fine", Fiber.spin(() -> "fine").await());
                });
    }

    /** Where marl ends the process. */
    @ParameterizedTest
    @EnumSource
    void F7_whateverIsThrownEndsTheFiberOnly(StackKind stacks) {
        run(
                stacks,
                () -> {
                    for (Throwable thrown :
                            List.of(
                                    new Exception("checked"),
                                    new Error("error"),
                                    new Throwable("throwable"))) {
                        Fiber<?> fiber =
                                Fiber.spin(
                                        () -> {
                                            throw Unchecked.<RuntimeException>sneaky(thrown);
                                        });
                        assertSame(thrown, Runs.cause(Runs.failureOf(fiber::await)));
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void F7_brokenUncaughtHandlerHarmsNobody(StackKind stacks) {
        List<String> told = new ArrayList<>();
        UncaughtHandler broken =
                (fiber, failure) -> {
                    told.add(fiber.name());
                    throw new IllegalStateException("the handler itself");
                };
        Cord.<@Nullable Object>run(
                CordOptions.named("broken").withUncaught(broken).withStacks(stacks),
                () -> {
                    Fiber<String> fiber = Fiber.spin("target", () -> "result");
                    fiber.onEnd(
                            ended -> {
                                throw new IllegalStateException("the hook");
                            });
                    assertEquals("result", fiber.await());
                    Fiber.sleep(SHORT);
                    return null;
                });
        assertEquals(List.of("target"), told);
    }

    /** What another JVM runs: a million fibers wait at once, and all go on. */
    static final class Million {
        private Million() {}

        public static void main(String[] args) {
            Runs.real(StackKind.valueOf(args[0]), new Reports(), Million::parkAll);
        }

        private static void parkAll() {
            int many = 1_000_000;
            List<Fiber<@Nullable Object>> fibers = new ArrayList<>(many);
            for (int i = 0; i < many; i++) {
                fibers.add(Fiber.spin(() -> Fiber.suspend()));
                if (i % 1_000 == 0) {
                    Fiber.snooze();
                }
            }
            Fiber.snooze();
            for (int i = 0; i < many; i++) {
                assertSame(FiberState.WAITING, fibers.get(i).state());
                fibers.get(i).schedule(i);
            }
            long sum = 0;
            for (Object result : Fiber.awaitAll(fibers)) {
                sum += (Integer) result;
            }
            assertEquals((many - 1L) * many / 2, sum);
            assertFalse(CordImpl.current().loop.hasRunnable());
        }
    }

    /** Where three of the systems that Ropewalk follows stop near 32,000. */
    @ParameterizedTest
    @EnumSource
    @Tag("stress")
    @Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
    void F17_aMillionFibersPark(StackKind stacks) throws IOException, InterruptedException {
        List<String> flags = List.of("@" + System.getProperty("ropewalk.args.file"), "-Xmx4g");
        OtherJvm.Ended ended = OtherJvm.run(flags, Million.class, stacks.name());
        assertEquals(0, ended.exit(), ended.output());
    }

    @ParameterizedTest
    @EnumSource
    void F7_exceptionThatCannotBePrintedEndsItsFiberOnly(StackKind stacks) {
        run(
                stacks,
                () -> {
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(HostileBodyTest::throwUnprintable);
                                        Fiber.suspend();
                                    });
                    Throwable thrown = Runs.failureOf(parent::await);
                    assertTrue(Runs.cause(thrown) instanceof FiberFailedException);
                });
    }

    private static void throwUnprintable() {
        throw new Unprintable();
    }

    private static final class Unprintable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no text");
        }
    }

    @Test
    void F7_abandonedFiberThatEndsByItselfBreaksNothing() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () -> {
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(HostileBodyTest::failInCleanUp);
                                        Runs.settle();
                                        Abandonment.abandonAlone(FiberImpl.current(), "test");
                                    });
                    fiber.awaitEnd(Duration.ofDays(1));
                    return null;
                });
    }

    private static void failInCleanUp() {
        try {
            Fiber.suspend();
        } finally {
            fail("clean-up");
        }
    }

    private static void fail(String message) {
        throw new IllegalStateException(message);
    }
}
