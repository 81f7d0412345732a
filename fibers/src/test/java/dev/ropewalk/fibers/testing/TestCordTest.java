package dev.ropewalk.fibers.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.fiber.TerminationTest;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The published test support. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class TestCordTest {
    private static final String PROPERTY = "ropewalk.seed";
    private static final String LOGGED = "a message to a cord failed";

    private static String message(Throwable thrown) {
        return String.valueOf(thrown.getMessage());
    }

    private static AssertionError failure(Action body) {
        return assertThrows(AssertionError.class, () -> TestCord.run(42, true, body));
    }

    @Test
    void F14_bodyRunsUnderSeveralSeedsInBothOrders() {
        Set<Integer> drawn = new HashSet<>();
        int[] runs = new int[1];
        TestCord.run(
                () -> {
                    runs[0]++;
                    drawn.add(Cord.current().nextInt(1_000_000));
                });
        assertTrue(runs[0] >= 6, "runs=" + runs[0]);
        assertEquals(runs[0], 2 * drawn.size());
    }

    @Test
    void F14_failureNamesTheSeedAndCarriesTheOriginal() {
        Exception boom = new Exception("boom");
        AssertionError error =
                failure(
                        () -> {
                            throw boom;
                        });
        assertSame(boom, Runs.cause(error));
        for (String part : List.of("boom", "seed=42", "true", "-Dropewalk.seed=42")) {
            assertTrue(message(error).contains(part), error::toString);
        }
    }

    @Test
    void F14_failureOfAChildFailsTheRun() {
        AssertionError error =
                failure(
                        () -> {
                            Fiber.spin(
                                    () -> {
                                        throw new Exception("boom");
                                    });
                            Fiber.suspend();
                        });
        assertTrue(message(error).contains("boom"), error::toString);
    }

    @Test
    void F14_deadlockFailsTheRun() {
        AssertionError error = failure(Fiber::suspend);
        assertTrue(Runs.cause(error) instanceof DeadlockException, error::toString);
        AssertionError terminated =
                failure(
                        () -> {
                            Fiber.current().terminate();
                            Fiber.suspend();
                        });
        assertTrue(Runs.cause(terminated) instanceof FiberTerminatedException);
    }

    /** Abandons a fiber, which is reported and fails nobody. */
    private static void report() {
        Fiber<?> stubborn = Fiber.spin("stubborn", TerminationTest::swallowForEver);
        Runs.settle();
        stubborn.terminate();
        Runs.failureOf(stubborn::await);
    }

    @Test
    void F14_reportThatWasNotExpectedFailsTheRun() {
        AssertionError error = failure(TestCordTest::report);
        assertTrue(message(error).contains("stubborn"), error::toString);
        assertTrue(message(error).contains("expectUncaught"), error::toString);
        assertTrue(Runs.cause(error) instanceof FiberAbandonedException, error::toString);
    }

    @Test
    void F14_reportThatWasExpectedDoesNot() {
        TestCord.run(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    report();
                });
        TestCord.run(
                () -> {
                    report();
                    report();
                    TestCord.expectUncaught(FiberFailedException.class);
                    TestCord.expectUncaught(Throwable.class);
                });
    }

    @Test
    void F14_oneExpectationIsForOneReport() {
        AssertionError tooMany =
                failure(
                        () -> {
                            TestCord.expectUncaught(FiberAbandonedException.class);
                            report();
                            report();
                        });
        assertTrue(message(tooMany).contains("uncaught in"), tooMany::toString);
        AssertionError tooFew =
                failure(() -> TestCord.expectUncaught(FiberAbandonedException.class));
        assertTrue(message(tooFew).contains("FiberAbandonedException"), tooFew::toString);
        AssertionError other =
                failure(
                        () -> {
                            TestCord.expectUncaught(DeadlockException.class);
                            report();
                        });
        assertTrue(message(other).contains("uncaught in"), other::toString);
    }

    @Test
    void F14_reportsOfARunThatFailedAreNotLost() {
        Exception boom = new Exception("boom");
        AssertionError error =
                failure(
                        () -> {
                            report();
                            throw boom;
                        });
        assertSame(boom, Runs.cause(error));
        assertEquals(1, error.getSuppressed().length);
    }

    @Test
    void F14_expectationOutsideARunIsAnError() {
        assertThrows(IllegalStateException.class, () -> TestCord.expectUncaught(Exception.class));
        TestCord.run(1, false, () -> Fiber.sleep(Duration.ofDays(1)));
        assertThrows(IllegalStateException.class, () -> TestCord.expectUncaught(Exception.class));
    }

    /** Soon, and nothing else. */
    private static void logAnError() {
        Cord.current()
                .post(
                        Runs.message(
                                () -> {
                                    throw new IllegalStateException("broken message");
                                }));
    }

    @Test
    void F14_testCordFailsForLogsWhenAskedTo() {
        TestCord.run(1, false, TestCordTest::logAnError);
        AssertionError failed =
                assertThrows(
                        AssertionError.class,
                        () ->
                                TestCord.run(
                                        1,
                                        false,
                                        () -> {
                                            logAnError();
                                            Runs.settle();
                                            TestCord.failOnLogs(); // also for what came before
                                        }));
        assertTrue(message(failed).contains(LOGGED), failed::toString);
    }

    @Test
    void misuse_announcingEverythingOrOutsideARunIsAnError() {
        assertThrows(IllegalArgumentException.class, () -> TestCord.expectLog(""));
        assertThrows(IllegalStateException.class, () -> TestCord.expectLog(LOGGED));
        assertThrows(IllegalStateException.class, TestCord::failOnLogs);
    }

    @Test
    void F14_propertyReplaysOneSeed() {
        List<Integer> drawn = new ArrayList<>();
        withProperty(
                " 42 ", () -> TestCord.run(() -> drawn.add(Cord.current().nextInt(1_000_000))));
        List<Integer> ofSeed = new ArrayList<>();
        TestCord.run(42, false, () -> ofSeed.add(Cord.current().nextInt(1_000_000)));
        assertEquals(2, drawn.size());
        assertEquals(ofSeed.getFirst(), drawn.getFirst());
    }

    @Test
    void F14_propertyThatIsNoSeedIsAnErrorThatSaysSo() {
        boolean[] ran = new boolean[1];
        withProperty(
                "forty-two",
                () -> {
                    IllegalArgumentException thrown =
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> TestCord.run(() -> ran[0] = true));
                    assertTrue(message(thrown).contains("ropewalk.seed=forty-two"));
                });
        assertFalse(ran[0]);
    }

    private static void withProperty(String value, Runnable test) {
        @Nullable String before = System.setProperty(PROPERTY, value);
        try {
            test.run();
        } finally {
            if (before == null) {
                System.clearProperty(PROPERTY);
            } else {
                System.setProperty(PROPERTY, before);
            }
        }
    }
}
