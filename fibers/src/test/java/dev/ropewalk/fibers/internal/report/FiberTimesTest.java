package dev.ropewalk.fibers.internal.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.observe.FiberTime;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Rule F9: when switched on, it is counted how often and how long each fiber runs. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberTimesTest {
    private static final Duration WORK = Duration.ofMillis(20);

    /** What the other JVM runs: throws if a number is wrong. */
    static final class Counting {
        private Counting() {}

        public static void main(String[] args) {
            for (StackKind stacks : StackKind.values()) {
                if (!stacks.isAvailable()) {
                    continue; // without the flag for it
                }
                Cord.run(
                        CordOptions.named("counting").withStacks(stacks),
                        Callables.of(Counting::count));
            }
            Cord other = Cord.start("other");
            try (other) {
                other.spin("after the root", () -> {}).await(); // a message may come before it
                List<FiberTime> top = CordDumps.top(CordImpl.of(other), 9, Duration.ofDays(1));
                check(top.getFirst().name().equals("root"), "top from elsewhere");
            }
            check(other.top(9).isEmpty(), "top of the dead");
        }

        private static void count() {
            Cord cord = Cord.current();
            Fiber.spin("busy", Counting::busy);
            Fiber.spin("often", () -> Runs.snooze(1_000));
            Fiber.spin("once", () -> Fiber.suspend());
            Fiber.spin("ended", () -> {});
            Runs.snooze(1_100);
            List<FiberTime> top = cord.top(2);
            check(top.size() == 2, "size");
            check(top.getFirst().ran().compareTo(top.getLast().ran()) >= 0, top.toString());
            List<FiberTime> all = cord.top(99);
            for (FiberTime each : all) {
                boolean isBusy = each.name().equals("busy");
                check(!isBusy || each.ran().compareTo(WORK) >= 0, all.toString());
                check(each.name().equals("root") || each.switches() == 1, all.toString());
            }
            check(all.stream().noneMatch(each -> each.name().equals("ended")), all.toString());
            check(all.stream().noneMatch(each -> each.name().equals("often")), all.toString());
            check(all.size() == 3, all.toString());
            check(cord.dump().toString().contains("ran=PT"), "dump");
            share(cord);
        }

        /** A share is of the time since the last top: what ran before it has none. */
        private static void share(Cord cord) {
            Fiber.spin("later", Counting::busy);
            long beforeNs = cord.nanoTime();
            cord.top(1);
            Fiber.snooze();
            List<FiberTime> all = cord.top(99);
            double least = (double) WORK.toNanos() / (cord.nanoTime() - beforeNs);
            double sum = 0;
            for (FiberTime each : all) {
                sum += each.share();
                boolean isLater = each.name().equals("later");
                check(!isLater || each.share() >= least, least + " in " + all);
                check(!each.name().equals("busy") || each.share() == 0, all.toString());
            }
            check(all.size() == 4 && sum <= 1 + 1e-9, sum + " of " + all);
            check(cord.dump().toString().contains(", share="), "dump");
        }

        private static void busy() {
            Cord cord = Cord.current();
            long startNs = cord.nanoTime();
            while (cord.nanoTime() - startNs < WORK.toNanos()) {
                Thread.onSpinWait();
            }
            Fiber.suspend();
        }

        private static void check(boolean holds, String what) {
            if (!holds) {
                throw new AssertionError(what);
            }
        }
    }

    @Test
    void F9_switchedOnTimesAndSwitchesAreCounted() throws IOException, InterruptedException {
        String file = "@" + System.getProperty("ropewalk.args.file");
        OtherJvm.Ended ended =
                OtherJvm.run(List.of(file, "-Dropewalk.fiberTimes=true"), Counting.class);
        assertEquals(0, ended.exit(), ended.output());
    }

    @Test
    void F9_switchedOffNothingIsCounted() {
        Runs.inAnyOrder(() -> assertFalse(Cord.current().dump().toString().contains("ran=")));
    }
}
