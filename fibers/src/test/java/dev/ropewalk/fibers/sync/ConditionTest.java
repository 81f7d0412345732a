package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.sync.MutexTest.Form;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Conditions: signals go to who waits longest, and none is lost with a waiter that leaves. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ConditionTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);

    private static void settle() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    private static Fiber<?> waiter(
            Mutex mutex, Condition condition, List<String> log, String name) {
        Fiber<?> waiter =
                Fiber.spin(
                        name,
                        () ->
                                mutex.run(
                                        () -> {
                                            condition.await();
                                            assertTrue(mutex.isHeldByCaller());
                                            log.add(name);
                                        }));
        settle();
        return waiter;
    }

    private static void end(Mutex mutex) {
        mutex.checkInvariants();
        assertFalse(mutex.isLocked());
    }

    @ParameterizedTest
    @EnumSource
    void sync_signalsWakeFirstInFirstOutAndAreNotRemembered(Form form) {
        TestCord.run(
                () -> {
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    List<String> log = new ArrayList<>();
                    mutex.run(condition::signal);
                    waiter(mutex, condition, log, "a");
                    waiter(mutex, condition, log, "b");
                    waiter(mutex, condition, log, "c");
                    assertEquals(List.of(), log);
                    mutex.run(condition::signal);
                    settle();
                    assertEquals(List.of("a"), log);
                    mutex.run(condition::signalAll);
                    settle();
                    assertEquals(List.of("a", "b", "c"), log);
                    end(mutex);
                });
    }

    /** Where marl's notify_one wakes the same waiter twice. */
    @ParameterizedTest
    @EnumSource
    void sync_twoSignalsInOneTurnWakeTwo(Form form) {
        TestCord.run(
                () -> {
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    List<String> log = new ArrayList<>();
                    waiter(mutex, condition, log, "a");
                    waiter(mutex, condition, log, "b");
                    mutex.run(
                            () -> {
                                condition.signal();
                                condition.signal();
                            });
                    settle();
                    assertEquals(List.of("a", "b"), log);
                    end(mutex);
                });
    }

    /** Where Polyphony's timed-out waiter stays in the queue and takes a later signal. */
    @ParameterizedTest
    @EnumSource
    void F5_timedOutWaiterEatsNoSignal(Form form) {
        TestCord.run(
                () -> {
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    List<String> log = new ArrayList<>();
                    Fiber<Boolean> tired =
                            Fiber.spin(
                                    () ->
                                            mutex.call(
                                                    () -> {
                                                        boolean told = condition.await(SHORT);
                                                        assertTrue(mutex.isHeldByCaller());
                                                        return told;
                                                    }));
                    settle();
                    waiter(mutex, condition, log, "patient");
                    assertFalse(tired.await());
                    mutex.run(condition::signal);
                    settle();
                    assertEquals(List.of("patient"), log);
                    end(mutex);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_terminatedWaiterPassesItsSignalOnAndHoldsTheMutexAgain(Form form) {
        TestCord.run(
                () -> {
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    List<String> log = new ArrayList<>();
                    Fiber<?> first =
                            Fiber.spin(
                                    () ->
                                            mutex.run(
                                                    () -> {
                                                        try {
                                                            condition.await();
                                                        } finally {
                                                            log.add("" + mutex.isHeldByCaller());
                                                        }
                                                    }));
                    settle();
                    waiter(mutex, condition, log, "second");
                    mutex.lock();
                    condition.signal();
                    // It is signalled, and waits for the mutex, which is held here.
                    first.terminate();
                    settle();
                    mutex.unlock();
                    assertThrows(FiberTerminatedException.class, first::await);
                    settle();
                    assertEquals(List.of("true", "second"), log);
                    end(mutex);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_cancelledWaiterHoldsTheMutexAgainHoweverLongThatTakes(Form form) {
        TestCord.run(
                () -> {
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    Fiber<Long> waiter =
                            Fiber.spin(
                                    () ->
                                            mutex.call(
                                                    () -> {
                                                        CancelScope.moveOnAfter(
                                                                SHORT, () -> condition.await());
                                                        assertTrue(mutex.isHeldByCaller());
                                                        return Cord.current().nanoTime();
                                                    }));
                    settle();
                    long before = Cord.current().nanoTime();
                    mutex.lock();
                    Fiber.sleep(LONG);
                    mutex.unlock();
                    assertEquals(LONG.toNanos(), waiter.await() - before);
                    end(mutex);
                });
    }

    @ParameterizedTest
    @EnumSource
    void sync_signalledWaiterThatTimesOutBeforeItGetsTheMutexWasSignalled(Form form) {
        TestCord.run(
                () -> {
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    Fiber<Boolean> waiter =
                            Fiber.spin(() -> mutex.call(() -> condition.await(SHORT)));
                    settle();
                    mutex.lock();
                    condition.signal();
                    Fiber.sleep(LONG);
                    mutex.unlock();
                    assertTrue(waiter.await());
                    end(mutex);
                });
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL_REENTRANT", "SHARED_REENTRANT"})
    void sync_waiterHoldsItAsOftenAsBefore(Form form) {
        TestCord.run(
                () -> {
                    Mutex mutex = form.make();
                    Condition condition = mutex.newCondition();
                    Fiber<?> waiter =
                            Fiber.spin(
                                    () -> {
                                        mutex.lock();
                                        mutex.lock();
                                        condition.await();
                                        mutex.unlock();
                                        assertTrue(mutex.isHeldByCaller());
                                        mutex.unlock();
                                        assertFalse(mutex.isHeldByCaller());
                                    });
                    settle();
                    mutex.run(condition::signal);
                    waiter.await();
                    end(mutex);
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_withoutTheMutex(Form form) {
        TestCord.run(
                () -> {
                    Condition condition = form.make().newCondition();
                    assertThrows(IllegalStateException.class, condition::await);
                    assertThrows(IllegalStateException.class, condition::signal);
                    assertThrows(IllegalStateException.class, condition::signalAll);
                });
    }

    @Test
    void F8_producersAndConsumersOnTwoCordsAndAThreadLoseNothing() throws InterruptedException {
        Mutex mutex = Mutex.shared();
        Condition filled = mutex.newCondition();
        Condition emptied = mutex.newCondition();
        ArrayDeque<Integer> queue = new ArrayDeque<>();
        int times = 1_000;
        long[] sum = new long[1];
        Runnable producer =
                () -> {
                    for (int i = 1; i <= times; i++) {
                        int item = i;
                        mutex.run(
                                () -> {
                                    while (queue.size() == 2) {
                                        emptied.await();
                                    }
                                    queue.add(item);
                                    filled.signal();
                                });
                    }
                };
        Runnable consumer =
                () -> {
                    for (int i = 0; i < times; i++) {
                        mutex.run(
                                () -> {
                                    while (queue.isEmpty()) {
                                        filled.await();
                                    }
                                    sum[0] += queue.remove();
                                    emptied.signal();
                                });
                    }
                };
        Thread thread = Thread.ofPlatform().start(consumer);
        try (Cord one = Cord.start("one");
                Cord two = Cord.start("two")) {
            Fiber.awaitAll(
                    List.of(
                            one.spin("p1", producer::run),
                            two.spin("p2", producer::run),
                            one.spin("p3", producer::run),
                            one.spin("c1", consumer::run),
                            two.spin("c2", consumer::run)));
        }
        thread.join();
        assertEquals(3L * times * (times + 1) / 2, sum[0]);
        assertTrue(queue.isEmpty());
        end(mutex);
    }
}
