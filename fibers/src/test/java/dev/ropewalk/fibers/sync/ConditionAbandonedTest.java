package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule F5, for waiters of a condition that run no clean-up. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ConditionAbandonedTest {
    private static final Duration FAR = Duration.ofDays(1);

    @ParameterizedTest
    @EnumSource
    void F5_abandonedWaiterEatsNoSignal(Form form) {
        TestCord.run(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Mutex mutex = form == Form.LOCAL ? Mutex.local() : Mutex.shared();
                    Condition condition = mutex.newCondition();
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber.spin(
                                                () ->
                                                        CancelScope.shielded(
                                                                FAR,
                                                                () -> mutex.run(condition::await)));
                                        Fiber.suspend();
                                    });
                    Crowd.settle();
                    List<String> log = new ArrayList<>();
                    Fiber.spin(
                            () -> {
                                mutex.run(condition::await);
                                log.add("signalled");
                            });
                    Crowd.settle();
                    parent.terminate();
                    parent.awaitEnd(Waits.FOREVER);
                    mutex.run(condition::signal);
                    Crowd.settle();
                    assertEquals(List.of("signalled"), log);
                    mutex.checkInvariants();
                });
    }
}
