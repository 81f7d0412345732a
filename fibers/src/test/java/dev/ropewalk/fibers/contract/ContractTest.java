package dev.ropewalk.fibers.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.sync.Condition;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What holds on every kind of cords and on any number of them, also for tasks: fibers that reach
 * each other across cords as they do on one. Real time; nothing here depends on how long something
 * takes.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ContractTest {
    private static final int FIBERS = 24;
    private static final Duration SOON = Duration.ofMillis(2);
    private static final Duration FAR = Duration.ofDays(1);

    static Stream<CordVariant> variants() {
        return CordVariant.all();
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F4_everyScheduleReachesItsSuspend(CordVariant variant) {
        variant.run(
                cords -> {
                    List<Fiber<@Nullable Object>> fibers = new ArrayList<>();
                    for (int i = 0; i < FIBERS; i++) {
                        fibers.add(cords.spin(i, Fiber::suspend));
                    }
                    for (int i = 0; i < FIBERS; i++) {
                        Fiber<@Nullable Object> fiber = fibers.get(i);
                        while (fiber.state() != FiberState.WAITING) {
                            Fiber.snooze();
                        }
                        fiber.schedule(i);
                    }
                    List<@Nullable Object> results = Fiber.awaitAll(fibers);
                    for (int i = 0; i < FIBERS; i++) {
                        assertEquals(i, results.get(i));
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F6_terminateEndsEveryWait(CordVariant variant) {
        variant.run(
                cords -> {
                    Mutex mutex = Mutex.shared();
                    mutex.lock();
                    List<Fiber<?>> fibers = new ArrayList<>();
                    for (int i = 0; i < FIBERS; i += 4) {
                        fibers.add(cords.spin(i, Fiber::suspend));
                        fibers.add(cords.spin(i + 1, () -> sleepFor(FAR)));
                        fibers.add(cords.spin(i + 2, () -> lock(mutex)));
                        Fiber<?> last = fibers.getLast();
                        // Ends by itself, if it hears of the other's end first.
                        fibers.add(cords.spin(i + 3, () -> last.awaitEnd(FAR)));
                    }
                    for (Fiber<?> fiber : fibers) {
                        fiber.terminate();
                    }
                    for (int i = 0; i < FIBERS; i++) {
                        assertTrue(fibers.get(i).awaitEnd(FAR));
                        Throwable failure = fibers.get(i).failure();
                        assertTrue(
                                failure instanceof FiberTerminatedException || i % 4 == 3,
                                () -> "failure=" + failure);
                    }
                    mutex.unlock();
                    assertFalse(mutex.isLocked());
                });
    }

    private static boolean lock(Mutex mutex) {
        mutex.lock();
        mutex.unlock();
        return true;
    }

    private static boolean sleepFor(Duration time) {
        Fiber.sleep(time);
        return true;
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F6_timeLimitsEndWaitsAcrossCords(CordVariant variant) {
        variant.run(
                cords -> {
                    Fiber<@Nullable Object> never = cords.spin(1, Fiber::suspend);
                    List<Fiber<Boolean>> fibers = new ArrayList<>();
                    for (int i = 0; i < FIBERS; i++) {
                        fibers.add(
                                cords.spin(
                                        i,
                                        () -> CancelScope.moveOnAfter(SOON, () -> never.await())));
                    }
                    for (boolean inTime : Fiber.awaitAll(fibers)) {
                        assertFalse(inTime);
                    }
                    never.stop("result");
                    assertEquals("result", never.await());
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F7_failureAnywhereEndsTheScopeEverywhere(CordVariant variant) {
        variant.run(
                cords -> {
                    List<Fiber<?>> members = new ArrayList<>();
                    FiberFailedException thrown =
                            assertThrows(
                                    FiberFailedException.class,
                                    () -> Scope.run(scope -> failOne(cords, scope, members)));
                    assertEquals("bad", Runs.cause(thrown).getMessage());
                    for (Fiber<?> member : members) {
                        assertTrue(member.failure() != null, member::toString);
                    }
                });
    }

    private static void failOne(
            CordVariant.Cords cords, Scope<@Nullable Object> scope, List<Fiber<?>> members) {
        for (int i = 0; i < FIBERS; i++) {
            boolean fails = i == FIBERS / 2;
            members.add(
                    cords.spinIn(
                            scope,
                            i,
                            () -> {
                                Fiber.sleep(fails ? SOON : FAR);
                                throw new IllegalStateException("bad");
                            }));
        }
        Fiber.sleep(FAR);
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F6_restartsAndStopsAcrossCords(CordVariant variant) {
        variant.run(
                cords -> {
                    List<Fiber<@Nullable Object>> fibers = new ArrayList<>();
                    int[] runs = new int[FIBERS];
                    for (int i = 0; i < FIBERS; i++) {
                        int number = i;
                        fibers.add(
                                cords.spin(
                                        i,
                                        () -> {
                                            runs[number]++;
                                            return Fiber.suspend();
                                        }));
                    }
                    for (Fiber<@Nullable Object> fiber : fibers) {
                        while (fiber.state() != FiberState.WAITING) {
                            Fiber.snooze();
                        }
                        fiber.restart();
                        fiber.stop("stopped");
                    }
                    for (Fiber<@Nullable Object> fiber : fibers) {
                        assertEquals("stopped", fiber.await());
                    }
                    for (int each : runs) {
                        assertTrue(each == 1 || each == 2, "runs=" + each);
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F8_conditionHandsItemsOnAcrossCords(CordVariant variant) {
        variant.run(
                cords -> {
                    Mutex mutex = Mutex.shared();
                    Condition filled = mutex.newCondition();
                    int[] items = new int[1];
                    List<Fiber<Boolean>> takers = new ArrayList<>();
                    for (int i = 0; i < FIBERS; i++) {
                        takers.add(
                                cords.spin(
                                        i,
                                        () ->
                                                mutex.call(
                                                        () -> {
                                                            while (items[0] == 0) {
                                                                filled.await();
                                                            }
                                                            items[0]--;
                                                            return true;
                                                        })));
                    }
                    for (int i = 0; i < FIBERS; i++) {
                        mutex.run(
                                () -> {
                                    items[0]++;
                                    filled.signal();
                                });
                        Fiber.snooze();
                    }
                    Fiber.awaitAll(takers);
                    assertEquals(0, items[0]);
                });
    }

    @ParameterizedTest
    @MethodSource("variants")
    void F12_blockingCallsReturnToTheirFibers(CordVariant variant) {
        variant.run(
                cords -> {
                    List<Fiber<Integer>> fibers = new ArrayList<>();
                    for (int i = 0; i < FIBERS; i++) {
                        int number = i;
                        fibers.add(cords.spin(i, () -> Blocking.call(() -> number * number)));
                    }
                    int sum = 0;
                    for (int result : Fiber.awaitAll(fibers)) {
                        sum += result;
                    }
                    assertEquals((FIBERS - 1) * FIBERS * (2 * FIBERS - 1) / 6, sum);
                });
    }
}
