package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.sync.Condition;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/** Rule F5: a fiber that is abandoned at the worst moment takes nothing with it. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class AbandonedWaitCellTest {
    private static Mutex mutex(boolean isShared) {
        return isShared ? Mutex.shared() : Mutex.local();
    }

    /** It stands in the queue and yields, because it is being terminated. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void F5_whatIsHandedToItWhileItIsRaisedIntoComesBack(boolean isShared) {
        Runs.virtual(
                new Reports(),
                () -> {
                    Mutex mutex = mutex(isShared);
                    mutex.lock();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            mutex.lock();
                                        }
                                    });
                    Runs.settle();
                    fiber.terminate();
                    Fiber.snooze();
                    mutex.unlock();
                    Abandonment.abandon(FiberImpl.of(fiber), "test");
                    assertTrue(mutex.tryLock());
                    mutex.unlock();
                    return null;
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void F5_signalGoesToTheNextWhenItsTakerIsAbandonedBeforeTheUnlock(boolean isShared) {
        Runs.virtual(
                new Reports(),
                () -> {
                    Mutex mutex = mutex(isShared);
                    Condition condition = mutex.newCondition();
                    List<String> log = new ArrayList<>();
                    Fiber<?> dead = Fiber.spin(() -> mutex.run(() -> condition.await()));
                    Runs.settle();
                    Fiber.spin(
                            () -> {
                                mutex.run(() -> condition.await());
                                log.add("signalled");
                            });
                    Runs.settle();
                    mutex.lock();
                    condition.signal();
                    Abandonment.abandon(FiberImpl.of(dead), "test");
                    mutex.unlock();
                    Runs.settle();
                    assertEquals(List.of("signalled"), log);
                    return null;
                });
    }

    @Test
    void F5_signalGoesToTheNextWhenItsTakerIsAbandonedAfterTheUnlock() {
        Runs.virtual(
                new Reports(),
                () -> {
                    Mutex mutex = Mutex.local();
                    Condition condition = mutex.newCondition();
                    List<String> log = new ArrayList<>();
                    Fiber<?> dead = Fiber.spin(() -> mutex.run(() -> condition.await()));
                    Runs.settle();
                    Fiber.spin(
                            () -> {
                                mutex.run(() -> condition.await());
                                log.add("signalled");
                            });
                    Runs.settle();
                    mutex.run(condition::signal);
                    Abandonment.abandon(FiberImpl.of(dead), "test");
                    Runs.settle();
                    assertEquals(List.of("signalled"), log);
                    return null;
                });
    }

    /** Nobody else hears of a failure that was taken. */
    @Test
    void F7_failureThatItHadTakenIsReported() {
        Reports reports = new Reports();
        Runs.virtual(
                reports,
                () -> {
                    Fiber<?> target =
                            Fiber.spin(
                                    () -> {
                                        Fiber.suspend();
                                        throw new IllegalStateException("boom");
                                    });
                    Fiber<?> taker = Fiber.spin(() -> target.await());
                    Runs.settle();
                    target.schedule(null);
                    Fiber.snooze();
                    Abandonment.abandon(FiberImpl.of(taker), "test");
                    Runs.settle();
                    return null;
                });
        assertTrue(
                reports.all().stream()
                        .anyMatch(each -> each.failure().toString().contains("value was lost")),
                () -> "reports: " + reports.all());
    }
}
