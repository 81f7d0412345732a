package dev.ropewalk.fibers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What the tests of supervised fibers share: rules that log each end, and bodies. */
abstract class SupervisorTests {
    static final Duration SECOND = Duration.ofSeconds(1);

    static final Duration FAR = Duration.ofDays(1);

    static final List<RestartRule> RESTARTS = List.of(RestartRule.values());

    final List<String> log = new ArrayList<>();

    final Reports reports = new Reports();

    FiberSupervision rules(RestartRule restart) {
        return FiberSupervision.restarting(restart)
                .withIntensity(Integer.MAX_VALUE, SECOND)
                .withOnResult((fiber, result) -> log.add(fiber.name() + "=" + result))
                .withOnFailure((fiber, failure) -> log.add(fiber.name() + "!" + text(failure)));
    }

    static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    void inAnyOrder(Action body) {
        Runs.inAnyOrder(
                () -> {
                    log.clear();
                    body.run();
                });
    }

    static long now() {
        return Cord.current().nanoTime();
    }

    static void fail(String message) throws Exception {
        throw new Exception(message);
    }

    /** Fails that many times and then returns. */
    static final class Flaky {
        private int failuresLeft;

        Flaky(int failures) {
            this.failuresLeft = failures;
        }

        String run() throws Exception {
            if (failuresLeft-- > 0) {
                fail("again");
            }
            return "done";
        }
    }

    /** Waits until it is ended, and logs that. */
    void service(String name) {
        try {
            Fiber.sleep(FAR);
        } finally {
            log.add(name + " ended");
        }
    }
}
