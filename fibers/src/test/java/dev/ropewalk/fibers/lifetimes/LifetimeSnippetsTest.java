package dev.ropewalk.fibers.lifetimes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** In which order things end (rule F7); the example of the guide's page on lifetimes. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class LifetimeSnippetsTest {
    private static final Duration FAR = Duration.ofDays(1);

    private record Connection(List<String> log) implements AutoCloseable {
        void use() {
            try {
                Fiber.sleep(FAR);
            } finally {
                log.add("used");
            }
        }

        @Override
        public void close() {
            log.add("closed");
        }
    }

    private static void assertOrder(List<String> expected, Action body, List<String> log) {
        log.clear();
        Fiber<?> fiber = Fiber.spin(body);
        Runs.settle();
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertEquals(expected, log);
    }

    @Test
    void F7_fibersOfAScopeEndBeforeTheFinallyBlocksAroundIt() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    assertOrder(List.of("used", "used", "closed"), () -> talk(log), log);
                });
    }

    private static void talk(List<String> log) {
        // @start region="order"
        try (Connection connection = new Connection(log)) {
            Scope.run(
                    scope -> {
                        scope.spin("reader", connection::use);
                        scope.spin("writer", connection::use);
                    });
        } // closed when both have ended, however this is left
        // @end
    }

    @Test
    void F7_childrenEndAfterTheFinallyBlocksOfTheirParent() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Action tooEarly =
                            () -> {
                                try (Connection connection = new Connection(log)) {
                                    Fiber.spin(connection::use);
                                    Fiber.sleep(FAR);
                                }
                            };
                    assertOrder(List.of("closed", "used"), tooEarly, log);
                });
    }
}
