package dev.ropewalk.fibers.testing.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.junit.FiberTestTest.Run;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;

/** Rule F14: what Ropewalk logs in a test as a warning or error fails it unless announced. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberTestLogsTest {
    private static final String PART = "a message to a cord failed";
    private static final Log LOG = Logs.logger(FiberTestLogsTest.class);

    /** Has the cord log an error, soon, and nothing else. */
    private static void breakMessage(Cord cord) {
        cord.post(
                new CordMessage() {
                    @Override
                    public void onCord() {
                        throw new IllegalStateException("broken message");
                    }

                    @Override
                    public void onClosed() {
                        // The test sees that nothing is logged.
                    }
                });
    }

    /** Lets the others run until all of them wait, because time does not pass before. */
    private static void settle() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    static final class Logging {
        @FiberTest(cords = 2, seeds = 1)
        void onAnotherCord(List<Cord> cords) {
            breakMessage(cords.get(1));
            settle();
        }

        @FiberTest(seeds = 1)
        void whereTheMethodHasReturned() {
            breakMessage(Cord.current());
        }

        @FiberTest(seeds = 1)
        void besideWhatWasAnnounced() {
            TestCord.expectLog("failed under its supervisor");
            LOG.warn("{} failed under its {}", "fiber", "supervisor");
            breakMessage(Cord.current());
        }
    }

    @Test
    void F14_unexpectedLogFailsTheTestWithTheLineAndTheSeed() {
        List<Run> runs = FiberTestTest.run(Logging.class);
        FiberTestTest.assertAll(Status.FAILED, runs);
        assertEquals(6, runs.size());
        for (Run each : runs) {
            assertTrue(
                    each.message().contains("ERROR dev.ropewalk.fibers.internal.cord.Inbox"),
                    each::message);
            assertTrue(each.message().contains(PART), each::message);
            assertTrue(each.message().contains("seed=1"), each::message);
            assertTrue(each.message().contains("TestCord.expectLog"), each::message);
            assertEquals("broken message", each.cause().getMessage());
        }
    }

    static final class Silent {
        @FiberTest(cords = 2)
        void announced(List<Cord> cords) {
            TestCord.expectLog(PART);
            breakMessage(cords.get(0));
            breakMessage(cords.get(1));
            settle();
        }

        @FiberTest(failOnLogs = false)
        void notAsked() {
            breakMessage(Cord.current());
        }

        @FiberTest
        void notOurs() {
            LoggerFactory.getLogger("com.example").warn("not seen by a @FiberTest");
            LOG.debug("no warning");
        }

        @FiberTest
        void onAnotherThread() throws InterruptedException {
            Thread.ofPlatform().start(() -> LOG.warn("not of this run")).join();
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
}
