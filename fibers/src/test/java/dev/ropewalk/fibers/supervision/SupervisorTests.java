package dev.ropewalk.fibers.supervision;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the tests of supervised fibers share: rules that log each end, and bodies. */
public abstract class SupervisorTests {
    public static final Duration SECOND = Duration.ofSeconds(1);

    public static final Duration FAR = Duration.ofDays(1);

    public static final List<RestartRule> RESTARTS = List.of(RestartRule.values());

    public final List<String> log = new ArrayList<>();

    public final Reports reports = new Reports();

    public FiberSupervision rules(RestartRule restart) {
        return FiberSupervision.restarting(restart)
                .withIntensity(Integer.MAX_VALUE, SECOND)
                .withOnResult((fiber, result) -> log.add(fiber.name() + "=" + result))
                .withOnFailure((fiber, failure) -> log.add(fiber.name() + "!" + text(failure)));
    }

    public static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    public void inAnyOrder(Action body) {
        Runs.inAnyOrder(
                () -> {
                    log.clear();
                    body.run();
                });
    }

    public static long now() {
        return Cord.current().nanoTime();
    }

    public static void fail(String message) throws Exception {
        throw new Exception(message);
    }

    /** Fails that many times and then returns. */
    public static final class Flaky {
        private int failuresLeft;

        public Flaky(int failures) {
            this.failuresLeft = failures;
        }

        public String run() throws Exception {
            if (failuresLeft-- > 0) {
                fail("again");
            }
            return "done";
        }
    }

    /** Waits until it is ended, and logs that. */
    public void service(String name) {
        try {
            Fiber.sleep(FAR);
        } finally {
            log.add(name + " ended");
        }
    }
}
