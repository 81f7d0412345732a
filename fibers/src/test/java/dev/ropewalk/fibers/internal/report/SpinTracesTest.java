package dev.ropewalk.fibers.internal.report;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testkit.OtherJvm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.util.List;

/** Rule F6: when switched on, a failure shows where the fiber and its ancestors were spun. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SpinTracesTest {
    /** What the other JVM runs. */
    static final class Failing {
        private Failing() {}

        public static void main(String[] args) {
            Cord.run(Failing::spinParent);
        }

        private static void spinParent() {
            Fiber.spin("parent", Failing::spinChild).await();
        }

        private static void spinChild() {
            Fiber.spin("child", Failing::fail).await();
        }

        private static void fail() {
            throw new IllegalStateException("bad");
        }
    }

    private static String outputWith(String flag) throws IOException, InterruptedException {
        String file = "@" + System.getProperty("ropewalk.args.file");
        return OtherJvm.run(List.of(file, flag), Failing.class).output();
    }

    @Test
    void F6_failureShowsWhereTheFiberAndItsAncestorsWereSpun()
            throws IOException, InterruptedException {
        String output = outputWith("-Dropewalk.spinTraces=true");
        assertTrue(output.contains("SpunHere: child was spun here"), output);
        assertTrue(output.contains("SpunHere: parent was spun here"), output);
        assertTrue(output.contains("Failing.spinChild"), output);
        assertTrue(output.contains("Failing.spinParent"), output);
    }

    @Test
    void F6_switchedOffNothingIsTaken() throws IOException, InterruptedException {
        String output = outputWith("-Dropewalk.other=true");
        assertTrue(output.contains("bad"), output);
        assertFalse(output.contains("was spun here"), output);
    }
}
