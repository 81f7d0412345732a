package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Rule F11: the hazard of a monitor held at a switchpoint, and the mode that finds it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HeldMonitorTest {
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

    /** Scenario S7 of SQLOS: a wait with a lock of the thread held is found. */
    @Test
    void F11_inTheDebugModeAWaitBelowAMonitorFailsAtOnce()
            throws IOException, InterruptedException {
        List<String> flags =
                List.of("@" + System.getProperty("ropewalk.args.file"), "-XX:LockingMode=1");
        String output = OtherJvm.run(flags, Waiting.class).output();
        assertTrue(output.contains("StackPinnedException"), output);
        assertTrue(output.contains("reason=MONITOR"), output);
    }
}
