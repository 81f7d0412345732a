package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.FiberTestTest.Run;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.junit.FiberTest;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.slf4j.LoggerFactory;

import java.util.List;

/** Rule F14: what Ropewalk logs in a test as a warning or error fails it unless announced. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberTestLogsTest {
    private static final String PART = "a message to a cord failed";

    /** Has the cord log an error, soon, and nothing else. */
    static void breakMessage(Cord cord) {
        CordImpl.of(cord)
                .send(
                        Runs.message(
                                () -> {
                                    throw new IllegalStateException("broken message");
                                }));
    }

    static final class Logging {
        @FiberTest(cords = 2, seeds = 1)
        void onAnotherCord(List<Cord> cords) {
            breakMessage(cords.get(1));
            Runs.settle();
        }

        @FiberTest(seeds = 1)
        void whereTheMethodHasReturned() {
            breakMessage(Cord.current());
        }

        @FiberTest(seeds = 1)
        void besideWhatWasAnnounced() {
            TestCord.expectLog("failed under its supervisor");
            Logs.logger("a.b").warn("{} failed under its {}", "fiber", "supervisor");
            breakMessage(Cord.current());
        }
    }

    @Test
    void F14_unexpectedLogFailsTheTestWithTheLineAndTheSeed() {
        List<Run> runs = FiberTestTest.run(Logging.class);
        FiberTestTest.assertAll(Status.FAILED, runs);
        assertEquals(6, runs.size());
        for (Run each : runs) {
            assertTrue(each.message().contains("ERROR dev.ropewalk.fibers.Inbox"), each::message);
            assertTrue(each.message().contains(PART), each::message);
            assertTrue(each.message().contains("seed=1"), each::message);
            assertTrue(each.message().contains("TestCord.expectLog"), each::message);
            assertEquals("broken message", Runs.cause(each.failure()).getMessage());
        }
    }

    static final class Silent {
        @FiberTest(cords = 2)
        void announced(List<Cord> cords) {
            TestCord.expectLog(PART);
            breakMessage(cords.get(0));
            breakMessage(cords.get(1));
            Runs.settle();
        }

        @FiberTest(failOnLogs = false)
        void notAsked() {
            breakMessage(Cord.current());
        }

        @FiberTest
        void notOurs() {
            LoggerFactory.getLogger("com.example").warn("not seen by a @FiberTest");
            Logs.logger("a.b").info("no warning");
        }

        @FiberTest
        void onAnotherThread() throws InterruptedException {
            Thread.ofPlatform().start(() -> Logs.logger("a.b").warn("not of this run")).join();
        }
    }

    @Test
    void F14_announcedLogsAndThoseOfOthersDoNot() {
        FiberTestTest.assertAll(Status.SUCCESSFUL, FiberTestTest.run(Silent.class));
    }

    static final class Missing {
        @FiberTest(seeds = 1)
        void neverCame() {
            TestCord.expectLog(PART);
        }
    }

    @Test
    void F14_announcedLogThatDoesNotComeFailsTheTest() {
        List<Run> runs = FiberTestTest.run(Missing.class);
        FiberTestTest.assertAll(Status.FAILED, runs);
        for (Run each : runs) {
            assertTrue(each.message().contains(PART), each::message);
        }
    }

    @Test
    void F14_testCordFailsForLogsWhenAskedTo() {
        TestCord.run(1, false, () -> breakMessage(Cord.current()));
        AssertionError failed =
                assertThrows(
                        AssertionError.class,
                        () ->
                                TestCord.run(
                                        1,
                                        false,
                                        () -> {
                                            breakMessage(Cord.current());
                                            Runs.settle();
                                            TestCord.failOnLogs(); // also for what came before
                                        }));
        assertTrue(String.valueOf(failed.getMessage()).contains(PART), failed::toString);
    }

    @Test
    void misuse_announcingEverythingOrOutsideARunIsAnError() {
        assertThrows(IllegalArgumentException.class, () -> TestCord.expectLog(""));
        assertThrows(IllegalStateException.class, () -> TestCord.expectLog(PART));
        assertThrows(IllegalStateException.class, TestCord::failOnLogs);
    }
}
