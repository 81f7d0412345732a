package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.testkit.OtherJvm;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Rule F11: the hazard of a monitor held at a switchpoint, and the mode that finds it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("needs-flags")
class HeldMonitorTest {
    private static final Log LOG = Logs.logger(HeldMonitorTest.class);

    /** What the other JVM runs. */
    static final class Waiting {
        private static final Object MONITOR = new Object();

        private Waiting() {}

        public static void main(String[] args) {
            Cord.run(
                    () -> {
                        synchronized (MONITOR) {
                            Fiber.sleep(Duration.ofMillis(1));
                        }
                    });
        }
    }

    /** A fiber waits inside, and another one of its cord wants to come in: for ever. */
    static final class BlocksItself {
        private static final Object MONITOR = new Object();

        private BlocksItself() {}

        /** Its cord never moves again, so the report ends the JVM. */
        public static void main(String[] args) {
            CordOptions options =
                    CordOptions.named("blocked")
                            .withStuckLimit(Duration.ofMillis(100))
                            .withStuckHandler(
                                    report -> {
                                        LOG.warn("{}", report);
                                        Runtime.getRuntime().halt(0);
                                    });
            Cord.run(
                    options,
                    () -> {
                        Fiber.spin("inside", () -> inside(Duration.ofDays(1)));
                        Fiber.spin("outside", () -> inside(Duration.ZERO));
                        Fiber.suspend();
                    });
        }

        private static void inside(Duration time) {
            synchronized (MONITOR) {
                Fiber.sleep(time);
            }
        }
    }

    @Test
    void F13_cordThatBlocksItselfIsReportedWithTheRemedy()
            throws IOException, InterruptedException {
        List<String> flags = List.of("@" + System.getProperty("ropewalk.args.file"));
        OtherJvm.Ended ended = OtherJvm.run(flags, BlocksItself.class);
        assertEquals(0, ended.exit(), ended.output());
        assertTrue(
                ended.output()
                        .contains(
                                "in fiber outside on cord blocked < root, with 0 ms of CPU time;"
                                        + " its thread is BLOCKED on a monitor, perhaps held by a"
                                        + " fiber that waits inside synchronized"),
                ended.output());
        assertTrue(ended.output().contains("use a Mutex of fibers.sync"), ended.output());
        assertFalse(ended.output().contains("Blocking.call"), ended.output());
    }

    /** Scenario S7 of SQLOS: a wait with a lock of the thread held is found. */
    @Test
    void F11_inTheDebugModeAWaitBelowAMonitorFailsAtOnce()
            throws IOException, InterruptedException {
        List<String> flags =
                List.of("@" + System.getProperty("ropewalk.args.file"), "-XX:LockingMode=1");
        String output = OtherJvm.run(flags, Waiting.class).output();
        assertTrue(output.contains("StackPinnedException"), output);
        assertTrue(output.contains("reason=MONITOR"), output);
        assertTrue(output.contains("use a Mutex of fibers.sync"), output);
        assertFalse(output.contains("class initialiser"), output);
    }
}
