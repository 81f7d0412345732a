package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A mutex in its forms: who gets it, who does not, and what is left when a waiter leaves. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class MutexTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofMillis(300);
    private static final Duration FAR = Duration.ofDays(1);

    enum Form {
        LOCAL,
        LOCAL_REENTRANT,
        SHARED,
        SHARED_REENTRANT;

        Mutex make() {
            return switch (this) {
                case LOCAL -> Mutex.local();
                case LOCAL_REENTRANT -> Mutex.localReentrant();
                case SHARED -> Mutex.shared();
                case SHARED_REENTRANT -> Mutex.sharedReentrant();
            };
        }

        boolean isReentrant() {
            return this == LOCAL_REENTRANT || this == SHARED_REENTRANT;
        }
    }

    private interface Body {
        void run(Mutex mutex) throws Exception;
    }

    /** On virtual clocks, in any order; the mutex must be free and whole afterwards. */
    private static void run(Form form, Body body) {
        TestCord.run(
                () -> {
                    Mutex mutex = form.make();
                    body.run(mutex);
                    mutex.checkInvariants();
                    assertFalse(mutex.isLocked(), () -> mutex + " is still held");
                });
    }

    private static void settle() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    private static Fiber<?> holder(Mutex mutex, Duration time) {
        Fiber<?> holder = Fiber.spin("holder", () -> mutex.run(() -> Fiber.sleep(time)));
        settle();
        return holder;
    }

    @ParameterizedTest
    @EnumSource
    void sync_oneHoldsItAtATime(Form form) {
        run(
                form,
                mutex -> {
                    int[] inside = new int[1];
                    List<Fiber<?>> fibers = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        fibers.add(
                                Fiber.spin(
                                        () ->
                                                mutex.run(
                                                        () -> {
                                                            assertEquals(1, ++inside[0]);
                                                            Fiber.sleep(SHORT);
                                                            Fiber.snooze();
                                                            inside[0]--;
                                                        })));
                    }
                    Fiber.awaitAll(fibers);
                    assertEquals(0, inside[0]);
                });
    }

    @ParameterizedTest
    @EnumSource
    void sync_whoWaitsIsServedFirstInFirstOutAndNeverOvertaken(Form form) {
        TestCord.run(
                1,
                false,
                () -> {
                    Mutex mutex = form.make();
                    List<Integer> log = new ArrayList<>();
                    mutex.lock();
                    for (int i = 0; i < 5; i++) {
                        int number = i;
                        Fiber.spin(() -> mutex.run(() -> log.add(number)));
                    }
                    settle();
                    mutex.unlock();
                    assertFalse(mutex.tryLock(), "it was handed to the first who waited");
                    mutex.lock();
                    assertEquals(List.of(0, 1, 2, 3, 4), log);
                    mutex.unlock();
                    mutex.checkInvariants();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_timedOutWaiterEatsNothing(Form form) {
        run(
                form,
                mutex -> {
                    holder(mutex, LONG);
                    Fiber<Boolean> tired = Fiber.spin(() -> mutex.lock(SHORT));
                    settle();
                    Fiber<?> patient = Fiber.spin(() -> mutex.run(() -> {}));
                    long before = Cord.current().nanoTime();
                    assertFalse(tired.await());
                    assertEquals(SHORT.toNanos(), Cord.current().nanoTime() - before + 1);
                    patient.await();
                    assertTrue(mutex.lock(Duration.ZERO));
                    mutex.unlock();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_terminatedAndCancelledWaitersEatNothing(Form form) {
        run(
                form,
                mutex -> {
                    holder(mutex, LONG);
                    Fiber<?> terminated = Fiber.spin(() -> mutex.lock());
                    Fiber<Boolean> cancelled =
                            Fiber.spin(() -> CancelScope.moveOnAfter(SHORT, () -> mutex.lock()));
                    settle();
                    terminated.terminate();
                    assertThrows(FiberTerminatedException.class, terminated::await);
                    assertFalse(cancelled.await());
                    mutex.run(() -> {});
                });
    }

    /** The waiter has the mutex before it runs; a termination comes too late to undo that. */
    @ParameterizedTest
    @EnumSource
    void F4_mutexThatWasHandedOverIsHeldAlsoIfATerminationCameAfterIt(Form form) {
        run(
                form,
                mutex -> {
                    List<String> log = new ArrayList<>();
                    mutex.lock();
                    Fiber<?> next =
                            Fiber.spin(
                                    () -> {
                                        mutex.lock();
                                        try {
                                            log.add("held " + mutex.isHeldByCaller());
                                            Fiber.snooze();
                                            log.add("went on");
                                        } finally {
                                            mutex.unlock();
                                        }
                                    });
                    settle();
                    mutex.unlock();
                    next.terminate();
                    assertThrows(FiberTerminatedException.class, next::await);
                    assertEquals(List.of("held true"), log);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_waiterThatTimesOutAtTheMomentOfTheUnlockLeavesItFree(Form form) {
        run(
                form,
                mutex -> {
                    Fiber<?> holder = holder(mutex, SHORT);
                    Fiber<?> waiter =
                            Fiber.spin(
                                    () -> {
                                        if (mutex.lock(SHORT.minusNanos(1))) {
                                            mutex.unlock();
                                        }
                                    });
                    waiter.awaitEnd(FAR);
                    holder.await();
                });
    }

    @ParameterizedTest
    @EnumSource
    void sync_reentrantOrAnErrorThatNamesTheRemedy(Form form) {
        run(
                form,
                mutex -> {
                    mutex.lock();
                    if (form.isReentrant()) {
                        mutex.lock();
                        assertTrue(mutex.tryLock());
                        assertTrue(mutex.lock(SHORT));
                        for (int i = 0; i < 3; i++) {
                            mutex.unlock();
                            assertTrue(mutex.isHeldByCaller());
                        }
                    } else {
                        assertFalse(mutex.tryLock());
                        DeadlockException thrown =
                                assertThrows(DeadlockException.class, mutex::lock);
                        assertTrue(thrown.toString().contains("reentrant"), thrown::toString);
                        assertThrows(DeadlockException.class, () -> mutex.lock(SHORT));
                    }
                    mutex.unlock();
                });
    }

    /** The same while others wait, when the word does not name the holder. */
    @ParameterizedTest
    @EnumSource
    void sync_reentrantOrAnErrorAlsoWhileOthersWait(Form form) {
        run(
                form,
                mutex -> {
                    mutex.lock();
                    Fiber<?> waiter = Fiber.spin(() -> mutex.run(() -> {}));
                    settle();
                    if (form.isReentrant()) {
                        mutex.lock();
                        mutex.unlock();
                    } else {
                        assertThrows(DeadlockException.class, mutex::lock);
                    }
                    assertTrue(mutex.isHeldByCaller());
                    mutex.unlock();
                    waiter.await();
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_unlockByANonOwner(Form form) {
        run(
                form,
                mutex -> {
                    assertThrows(IllegalStateException.class, mutex::unlock);
                    Fiber<?> holder = holder(mutex, SHORT);
                    IllegalStateException thrown =
                            assertThrows(IllegalStateException.class, mutex::unlock);
                    assertTrue(thrown.toString().contains("does not hold"), thrown::toString);
                    assertFalse(mutex.isHeldByCaller());
                    assertTrue(mutex.isLocked());
                    holder.await();
                });
    }

    @ParameterizedTest
    @EnumSource
    void sync_deadHolderIsReportedAndTheNextGetsIt(Form form) {
        run(
                form,
                mutex -> {
                    TestCord.expectUncaught(IllegalStateException.class);
                    Fiber<?> careless =
                            Fiber.spin(
                                    () -> {
                                        mutex.lock();
                                        if (form.isReentrant()) {
                                            mutex.lock();
                                        }
                                        Fiber.sleep(SHORT);
                                    });
                    settle();
                    Fiber<?> next = Fiber.spin(() -> mutex.run(() -> {}));
                    careless.await();
                    next.await();
                });
    }

    @ParameterizedTest
    @EnumSource
    void sync_reportOfADeadHolderNamesTheFiberTheMutexAndTheRemedy(Form form) {
        List<Throwable> reports = new ArrayList<>();
        CordOptions options =
                CordOptions.named("virtual")
                        .withClock(new CordOptions.VirtualClock(1, false))
                        .withUncaught((fiber, failure) -> reports.add(failure));
        Mutex held =
                Cord.run(
                        options,
                        () -> {
                            Mutex mutex = form.make();
                            Fiber.spin("careless", () -> mutex.lock()).await();
                            return mutex;
                        });
        assertEquals(1, reports.size(), reports::toString);
        assertEquals(IllegalStateException.class, reports.getFirst().getClass());
        String message = String.valueOf(reports.getFirst().getMessage());
        for (String part : List.of("fiber careless on cord virtual", held.toString(), "finally")) {
            assertTrue(message.contains(part), message);
        }
    }

    @ParameterizedTest
    @EnumSource
    void sync_deadHolderOfSeveralGivesAllBack(Form form) {
        TestCord.run(
                () -> {
                    List<Mutex> all = List.of(form.make(), form.make(), form.make());
                    TestCord.expectUncaught(IllegalStateException.class);
                    TestCord.expectUncaught(IllegalStateException.class);
                    Fiber<?> careless =
                            Fiber.spin(
                                    () -> {
                                        all.forEach(Mutex::lock);
                                        all.get(1).unlock();
                                        Fiber.suspend();
                                    });
                    settle();
                    careless.terminate();
                    assertThrows(FiberTerminatedException.class, careless::await);
                    all.forEach(mutex -> assertFalse(mutex.isLocked()));
                });
    }

    @ParameterizedTest
    @EnumSource
    void sync_restartedHolderGivesItBack(Form form) {
        run(
                form,
                mutex -> {
                    TestCord.expectUncaught(IllegalStateException.class);
                    int[] runs = new int[1];
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        if (++runs[0] == 1) {
                                            mutex.lock();
                                            Fiber.suspend();
                                        }
                                    });
                    settle();
                    fiber.restart();
                    fiber.await();
                });
    }

    @Test
    void misuse_localMutexFromAnotherCordNamesBoth() {
        Cord.run(
                () -> {
                    Mutex mutex = Mutex.local();
                    AtomicReference<Throwable> thrown = new AtomicReference<>();
                    Thread thread =
                            Thread.ofPlatform()
                                    .start(
                                            () -> {
                                                try {
                                                    mutex.lock();
                                                } catch (WrongThreadException e) {
                                                    thrown.set(e);
                                                }
                                            });
                    thread.join();
                    String message = String.valueOf(thrown.get());
                    assertTrue(message.contains("belongs to cord "), message);
                    assertTrue(message.contains("Mutex.shared()"), message);
                });
    }

    @Test
    void F8_threadsAndFibersOfSeveralCordsExcludeEachOther() throws InterruptedException {
        Mutex mutex = Mutex.shared();
        int[] inside = new int[2];
        int times = 2_000;
        Runnable work =
                () -> {
                    for (int i = 0; i < times; i++) {
                        mutex.run(
                                () -> {
                                    inside[0]++;
                                    inside[1] += inside[0];
                                    inside[0]--;
                                });
                    }
                };
        Thread thread = Thread.ofPlatform().start(work);
        try (Cord one = Cord.start("one");
                Cord two = Cord.start("two")) {
            List<Fiber<?>> fibers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                fibers.add(one.spin("a" + i, work::run));
                fibers.add(two.spin("b" + i, work::run));
            }
            Fiber.awaitAll(fibers);
        }
        thread.join();
        assertEquals(9 * times, inside[1]);
        mutex.checkInvariants();
        assertFalse(mutex.isLocked());
    }

    @Test
    void F8_interruptedThreadEatsNothing() throws InterruptedException {
        Mutex mutex = Mutex.shared();
        mutex.lock();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    begun.countDown();
                                    try {
                                        mutex.lock();
                                    } catch (WaitInterruptedException e) {
                                        thrown.set(e);
                                    }
                                });
        assertTrue(begun.await(10, TimeUnit.SECONDS));
        waiter.interrupt();
        waiter.join();
        assertNotNull(thrown.get());
        mutex.unlock();
        assertFalse(mutex.isLocked());
    }

    @ParameterizedTest
    @EnumSource
    void F9_deadlockReportNamesTheMutex(Form form) {
        TestCord.run(
                () -> {
                    Mutex mutex = form.make();
                    Mutex other = form.make();
                    mutex.lock();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        other.lock();
                                        try {
                                            mutex.run(() -> {});
                                        } finally {
                                            other.unlock();
                                        }
                                    });
                    settle();
                    DeadlockException thrown =
                            assertThrows(DeadlockException.class, () -> other.lock());
                    assertTrue(thrown.toString().contains(mutex.toString()), thrown::toString);
                    mutex.unlock();
                    fiber.await();
                    assertEquals(FiberState.DEAD, fiber.state());
                });
    }
}
