package dev.ropewalk.fibers.internal.fiber;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;
import dev.ropewalk.fibers.testkit.VirtualThreads;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Rule F11: whatever ends a fiber on a virtual thread interrupts the call of the JDK it is in. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class VirtualInterruptTest {
    private static final Duration FAR = Duration.ofDays(1);

    @Test
    void F11_terminateInterruptsTheCallAndStaysPending() {
        VirtualThreads.run(
                () -> {
                    List<String> log = new ArrayList<>();
                    CountDownLatch never = new CountDownLatch(1);
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            never.await();
                                        } catch (InterruptedException e) {
                                            log.add("interrupted");
                                        }
                                        Fiber.snooze();
                                        log.add("went on");
                                    });
                    VirtualThreads.untilForeign(fiber);
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("interrupted"), log);
                });
    }

    @Test
    void F11_interruptedCallThatLeavesTheBodyIsATermination() {
        VirtualThreads.run(
                () -> {
                    CountDownLatch never = new CountDownLatch(1);
                    Fiber<?> fiber = Fiber.spin(() -> never.await());
                    VirtualThreads.untilForeign(fiber);
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                });
    }

    @Test
    void F6_timeLimitEndsACallOfTheJdk() {
        VirtualThreads.run(
                () -> {
                    CountDownLatch never = new CountDownLatch(1);
                    Duration limit = Duration.ofMillis(5);
                    assertThrows(
                            FiberTimeoutException.class,
                            () -> CancelScope.cancelAfter(limit, () -> never.await()));
                    assertFalse(CancelScope.moveOnAfter(limit, () -> never.await()));
                    Thread.interrupted();
                    Fiber.snooze();
                });
    }

    @Test
    void F11_raiseBeforeTheCallInterruptsItToo() {
        VirtualThreads.run(
                () -> {
                    CountDownLatch never = new CountDownLatch(1);
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().raise(new IllegalStateException("raised"));
                                        try {
                                            never.await();
                                        } catch (InterruptedException e) {
                                            Fiber.snooze();
                                        }
                                    });
                    assertEquals("raised", Runs.cause(Runs.failureOf(fiber::await)).getMessage());
                });
    }

    @Test
    void F11_interruptedFiberCanStillWait() {
        VirtualThreads.run(
                () -> {
                    Fiber<Boolean> fiber =
                            Fiber.spin(
                                    () -> {
                                        Thread.currentThread().interrupt();
                                        Fiber.snooze();
                                        Fiber.sleep(Duration.ofMillis(1));
                                        return Thread.interrupted();
                                    });
                    assertTrue(fiber.await(), "the interrupt is the fiber's business");
                });
    }

    @Test
    void F11_strayUnparkEndsNoWaitOfTheLibrary() {
        VirtualThreads.run(
                () -> {
                    Thread[] thread = new Thread[1];
                    Fiber<@Nullable Object> fiber =
                            Fiber.spin(
                                    () -> {
                                        thread[0] = Thread.currentThread();
                                        return Fiber.suspend();
                                    });
                    Fiber.snooze();
                    LockSupport.unpark(thread[0]);
                    thread[0].interrupt();
                    Runs.snooze(5);
                    assertEquals(FiberState.WAITING, fiber.state());
                    fiber.schedule("value");
                    assertEquals("value", fiber.await());
                });
    }

    @Test
    void F7_abandonedInACallOfTheJdkItNeverRunsAgain() {
        Reports reports = new Reports();
        ReentrantLock lock = new ReentrantLock();
        List<String> log = new ArrayList<>();
        Cord.<@Nullable Object>run(
                VirtualThreads.options(reports).withStopLimit(Duration.ofMillis(5)),
                () -> {
                    Fiber<?> owner =
                            Fiber.spin(() -> VirtualThreads.untilForeign(stubborn(lock, log)));
                    lock.lock();
                    try {
                        owner.awaitEnd(FAR);
                    } finally {
                        lock.unlock();
                    }
                    Runs.snooze(300);
                    CordImpl.current().checkInvariants();
                    return null;
                });
        assertEquals(List.of(), log);
        assertEquals("stubborn", reports.only().fiber().name());
    }

    private static Fiber<?> stubborn(ReentrantLock lock, List<String> log) {
        return Fiber.spin(
                "stubborn",
                () -> {
                    lock.lock();
                    try {
                        log.add("ran on");
                    } finally {
                        lock.unlock();
                    }
                });
    }

    /** A call that no interrupt ends must not be interrupted for ever, turn by turn. */
    @Test
    void F11_callThatCannotBeInterruptedIsLeftInPeaceAfterAWhile() {
        VirtualThreads.run(
                () -> {
                    ReentrantLock lock = new ReentrantLock();
                    List<String> log = new ArrayList<>();
                    Fiber<?> stubborn = stubborn(lock, log);
                    lock.lock();
                    try {
                        VirtualThreads.untilForeign(stubborn);
                        stubborn.terminate();
                        Runs.snooze(300 * Unwind.MAX_RAISES); // a look is rare
                        assertEquals(FiberState.WAITING, stubborn.state());
                    } finally {
                        lock.unlock();
                    }
                    assertThrows(FiberTerminatedException.class, stubborn::await);
                    assertEquals(List.of("ran on"), log);
                });
    }
}
