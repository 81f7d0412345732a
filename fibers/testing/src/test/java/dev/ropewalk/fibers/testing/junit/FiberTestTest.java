package dev.ropewalk.fibers.testing.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Rule F14: tests of JUnit that run as fibers on virtual cords. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberTestTest {
    private static final String STACKS = StackKind.LIGHT.isAvailable() ? " LIGHT" : " PORTABLE";

    private static final Duration DAY = Duration.ofDays(1);
    private static final String PROPERTY = "ropewalk.seed";
    private static final long LIMIT_S = 10;

    /** One run of a method: what JUnit shows and what came of it. */
    record Run(String name, TestExecutionResult result) {
        Throwable failure() {
            return result.getThrowable().orElseThrow(() -> new AssertionError(name + " passed"));
        }

        String message() {
            return String.valueOf(failure().getMessage());
        }

        Throwable cause() {
            return Objects.requireNonNull(failure().getCause(), () -> "no cause: " + failure());
        }
    }

    static List<Run> run(Class<?> tests) {
        return run(tests, _ -> {});
    }

    private static List<Run> run(
            Class<?> tests, Consumer<LauncherDiscoveryRequestBuilder> configuration) {
        LauncherDiscoveryRequestBuilder builder =
                LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests));
        configuration.accept(builder);
        LauncherDiscoveryRequest request = builder.build();
        List<Run> runs = new CopyOnWriteArrayList<>();
        LauncherFactory.create()
                .execute(
                        request,
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(
                                    TestIdentifier test, TestExecutionResult result) {
                                if (test.isTest()) {
                                    runs.add(new Run(test.getDisplayName(), result));
                                }
                            }
                        });
        return runs;
    }

    static void assertAll(Status status, List<Run> runs) {
        assertTrue(!runs.isEmpty(), "nothing ran");
        for (Run each : runs) {
            assertEquals(status, each.result().getStatus(), each::toString);
        }
    }

    static final class Passing {
        @FiberTest(
                cords = 3,
                seeds = {4, 5})
        void methodIsTheRootFiberOfTheFirst(List<Cord> cords) {
            assertEquals(3, cords.size());
            assertEquals(cords.getFirst(), Cord.current());
            assertEquals("root", Fiber.current().name());
            Fiber<String> reply =
                    cords.get(1)
                            .spin(
                                    "pong",
                                    () -> {
                                        Fiber.sleep(DAY);
                                        return "pong";
                                    });
            assertEquals("pong", reply.await());
        }
    }

    @Test
    void F14_methodRunsOnceForEachSeedAndOrderAndTheNameShowsThem() {
        List<Run> runs = run(Passing.class);
        assertAll(Status.SUCCESSFUL, runs);
        assertEquals(
                List.of(
                        "seed=4 FIFO order" + STACKS,
                        "seed=4 seeded order" + STACKS,
                        "seed=5 FIFO order" + STACKS,
                        "seed=5 seeded order" + STACKS),
                runs.stream().map(Run::name).toList());
    }

    @Test
    void F14_propertyReplaysOneSeed() {
        System.setProperty(PROPERTY, "42");
        try {
            List<Run> runs = run(Passing.class);
            assertAll(Status.SUCCESSFUL, runs);
            assertEquals(
                    List.of("seed=42 FIFO order" + STACKS, "seed=42 seeded order" + STACKS),
                    runs.stream().map(Run::name).toList());
        } finally {
            System.clearProperty(PROPERTY);
        }
    }

    static final class Failing {
        @FiberTest(seeds = 7)
        void fails() {
            Fiber.snooze();
            throw new IllegalStateException("bad");
        }
    }

    @Test
    void F14_failureNamesTheSeedAndCarriesTheOriginal() {
        List<Run> runs = run(Failing.class);
        assertAll(Status.FAILED, runs);
        assertEquals(2, runs.size());
        for (Run each : runs) {
            assertTrue(each.message().contains("seed=7"), each::toString);
            assertEquals("bad", each.cause().getMessage());
        }
    }

    static final class Leaking {
        @FiberTest(cords = 2, seeds = 1)
        void waitsForEver(List<Cord> cords) {
            cords.get(1).spin("forgotten", () -> Fiber.suspend());
        }

        @FiberTest(seeds = 1)
        void sleeps() {
            Fiber.spin("forgotten", () -> Fiber.sleep(DAY)).detach();
        }

        @FiberTest(seeds = 1)
        void isBusy() {
            Fiber.spin(
                    "forgotten",
                    () -> {
                        for (; ; ) {
                            Fiber.snooze();
                        }
                    });
        }
    }

    @Test
    void F14_fiberThatIsLeftBehindFailsTheTestAndIsNamed() {
        List<Run> runs = run(Leaking.class);
        assertAll(Status.FAILED, runs);
        assertEquals(6, runs.size());
        for (Run each : runs) {
            assertTrue(each.message().contains("[fiber forgotten on cord"), each::message);
        }
    }

    static final class NotLeaking {
        @FiberTest(cords = 3)
        void endsByItself(List<Cord> cords) {
            for (Cord each : cords) {
                each.spin(
                                "busy",
                                () -> {
                                    for (int i = 0; i < 3; i++) {
                                        Fiber.snooze();
                                    }
                                })
                        .detach();
            }
        }

        @FiberTest(failOnLeaks = false)
        void isEndedAsEverywhere() {
            Fiber.spin("forgotten", () -> Fiber.sleep(DAY));
        }
    }

    @Test
    void F14_fiberThatEndsByItselfIsNoLeak() {
        assertAll(Status.SUCCESSFUL, run(NotLeaking.class));
    }

    static final class Reporting {
        @FiberTest(cords = 2, seeds = 1)
        void unexpected(List<Cord> cords) {
            fail(cords);
        }

        static void fail(List<Cord> cords) {
            Fiber<?> failing =
                    cords.get(1)
                            .spin(
                                    "failing",
                                    () -> {
                                        Fiber.sleep(DAY);
                                        throw new IllegalStateException("told");
                                    });
            failing.detach();
            Fiber.sleep(DAY.multipliedBy(2));
        }
    }

    static final class ReportingAsAnnounced {
        @FiberTest(cords = 2, seeds = 1)
        void expected(List<Cord> cords) {
            TestCord.expectUncaught(FiberFailedException.class);
            Reporting.fail(cords);
        }
    }

    @Test
    void F14_failureThatNobodyTakesFailsTheTestUnlessAnnounced() {
        List<Run> runs = run(Reporting.class);
        assertAll(Status.FAILED, runs);
        for (Run each : runs) {
            assertTrue(each.message().contains("uncaught in fiber failing"), each::message);
        }
        assertAll(Status.SUCCESSFUL, run(ReportingAsAnnounced.class));
    }

    static final class Skipped {
        @FiberTest(seeds = 1)
        void assumes() {
            assumeTrue(Fiber.current().id() < 0, "never");
        }
    }

    @Test
    void F14_assumptionThatDoesNotHoldSkipsTheTest() {
        assertAll(Status.ABORTED, run(Skipped.class));
    }

    static final class TooEarly {
        @BeforeEach
        void before(List<Cord> cords) {
            cords.getFirst();
        }

        @FiberTest(seeds = 1)
        void test() {}
    }

    static final class NoCords {
        @FiberTest(cords = 0, seeds = 1)
        void test() {}
    }

    @Test
    void misuse_cordsBeforeTheRunAndNoCordsAreErrorsThatSaySo() {
        List<Run> early = run(TooEarly.class);
        assertAll(Status.FAILED, early);
        List<Run> none = run(NoCords.class);
        assertAll(Status.FAILED, none);
        assertTrue(none.getFirst().message().contains("cords=0"), none::toString);
    }

    /** More than one at a time, on threads of a pool. */
    static final class ManyAtOnce {
        /** Opens when two runs are on their way. */
        static final CountDownLatch MEETING = new CountDownLatch(2);

        @FiberTest(cords = 2)
        void one(List<Cord> cords) throws InterruptedException {
            play(cords);
        }

        @FiberTest(cords = 3)
        void two(List<Cord> cords) throws InterruptedException {
            play(cords);
        }

        private static void play(List<Cord> cords) throws InterruptedException {
            MEETING.countDown();
            assertTrue(MEETING.await(LIMIT_S, TimeUnit.SECONDS), "no other run is on its way");
            for (int i = 0; i < 200; i++) {
                int number = i;
                Cord cord = cords.get(i % cords.size());
                Fiber<Integer> square = cord.spin("square", () -> number * number);
                Fiber.sleep(DAY);
                assertEquals(number * number, square.await());
            }
        }
    }

    @Test
    void F14_testsMayRunInParallel() {
        assertAll(
                Status.SUCCESSFUL,
                run(
                        ManyAtOnce.class,
                        builder ->
                                builder.configurationParameter(
                                                "junit.jupiter.execution.parallel.enabled", "true")
                                        .configurationParameter(
                                                "junit.jupiter.execution.parallel.mode.default",
                                                "concurrent")
                                        .configurationParameter(
                                                "junit.jupiter.execution.parallel.config.strategy",
                                                "fixed")
                                        .configurationParameter(
                                                "junit.jupiter.execution.parallel.config.fixed.parallelism",
                                                "3")));
    }
}
