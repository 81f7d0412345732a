package dev.ropewalk.fibers.blocking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Rule F12: code that blocks a thread runs elsewhere, while the fiber waits. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
public class BlockingTest {
    private final Reports reports = new Reports();

    /** Blocks this thread whoever interrupts it. */
    public static boolean uninterruptibly(CountDownLatch latch) {
        for (; ; ) {
            try {
                latch.await();
                return true;
            } catch (InterruptedException ignored) {
                // That is the point.
            }
        }
    }

    @Test
    void F12_resultComesFromAVirtualThread() {
        Runs.real(
                () -> {
                    Thread own = Thread.currentThread();
                    Thread ran = Blocking.call(Thread::currentThread);
                    assertTrue(ran.isVirtual());
                    assertSame(own, Thread.currentThread());
                    assertNull(Blocking.<@Nullable Object, RuntimeException>call(() -> null));
                });
    }

    @Test
    void F12_exceptionIsThrownAsItIs() {
        Exception checked = new Exception("checked");
        Error error = new AssertionError("error");
        Runs.real(
                () -> {
                    assertSame(
                            checked,
                            assertThrows(
                                    Exception.class,
                                    () ->
                                            Blocking.call(
                                                    () -> {
                                                        throw checked;
                                                    })));
                    assertSame(
                            error,
                            assertThrows(
                                    Error.class,
                                    () ->
                                            Blocking.call(
                                                    () -> {
                                                        throw error;
                                                    })));
                });
    }

    /** Scenario S8 of SQLOS: the cord is free meanwhile, and the fiber goes on on it. */
    @Test
    void F12_othersRunMeanwhile() {
        CountDownLatch latch = new CountDownLatch(1);
        Runs.real(
                () -> {
                    Cord cord = Cord.current();
                    Fiber.spin(latch::countDown);
                    assertTrue(Blocking.call(() -> uninterruptibly(latch)));
                    assertSame(cord, Cord.current());
                    assertSame(cord, Fiber.current().cord());
                });
    }

    @Test
    void F12_onAVirtualClockAndOnAPlainThreadItRunsInline() throws Exception {
        Thread here = Thread.currentThread();
        assertSame(here, Blocking.call(Thread::currentThread));
        Runs.inAnyOrder(
                () -> {
                    Thread own = Thread.currentThread();
                    assertSame(own, Blocking.call(Thread::currentThread));
                });
    }

    @Test
    void F12_terminationInterruptsTheCodeAndWaitsForItsEnd() {
        List<String> log = new ArrayList<>();
        CountDownLatch started = new CountDownLatch(1);
        Cord cord = Runs.started("blocking", reports);
        Fiber<?> fiber =
                cord.spin(
                        "blocking",
                        () -> {
                            try {
                                Blocking.call(
                                        () -> {
                                            started.countDown();
                                            try {
                                                return uninterruptedly();
                                            } finally {
                                                log.add("code ended");
                                            }
                                        });
                            } finally {
                                log.add("fiber ended");
                            }
                        });
        Runs.await(started);
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertEquals(List.of("code ended", "fiber ended"), log);
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    /** Blocks until it is interrupted. */
    private static int uninterruptedly() throws InterruptedException {
        new CountDownLatch(1).await();
        return 0;
    }

    @Test
    void F12_raiseInterruptsTheCodeToo() {
        CountDownLatch started = new CountDownLatch(1);
        Exception raised = new Exception("raised");
        Cord cord = Runs.started("blocking", reports);
        Fiber<Throwable> fiber =
                cord.spin(
                        "blocking",
                        () ->
                                Runs.failureOf(
                                        () ->
                                                Blocking.call(
                                                        () -> {
                                                            started.countDown();
                                                            return uninterruptedly();
                                                        })));
        Runs.await(started);
        fiber.raise(raised);
        assertSame(raised, fiber.await());
        Runs.checkAndClose(cord);
    }

    /** Takes the second that an interrupted call may take. */
    @Test
    void F12_codeThatIgnoresItsInterruptIsAbandonedWithAReport() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean closed = new AtomicBoolean();
        Cord cord = Runs.started("blocking", reports);
        Fiber<?> fiber =
                cord.spin(
                        "stubborn",
                        () ->
                                Blocking.<AutoCloseable, RuntimeException>call(
                                        () -> {
                                            started.countDown();
                                            uninterruptibly(release);
                                            return () -> closed.set(true);
                                        }));
        Runs.await(started);
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertFalse(closed.get());
        release.countDown();
        Runs.until(closed::get);
        Runs.checkAndClose(cord);
        Reports.Report report = reports.only();
        assertEquals("stubborn", report.fiber().name());
    }

    @Test
    void F12_resultThatNobodyTakesIsClosed() {
        CountDownLatch started = new CountDownLatch(1);
        AtomicInteger closed = new AtomicInteger();
        Cord cord = Runs.started("blocking", reports);
        Fiber<?> fiber =
                cord.spin(
                        "blocking",
                        () ->
                                Blocking.<AutoCloseable, RuntimeException>call(
                                        () -> {
                                            started.countDown();
                                            try {
                                                uninterruptedly();
                                            } catch (InterruptedException expected) {
                                                return closed::incrementAndGet;
                                            }
                                            throw new AssertionError("not interrupted");
                                        }));
        Runs.await(started);
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        Runs.until(() -> closed.get() == 1);
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    @Test
    void F12_moreCallsThanTheBoundWaitTheirTurn() {
        int calls = Blocking.MAX_AT_ONCE + 50;
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        Cord cord = Runs.started("bounded", reports);
        List<Fiber<?>> fibers = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            fibers.add(
                    cord.spin(
                            "call" + i,
                            () ->
                                    Blocking.call(
                                            () -> {
                                                most.accumulateAndGet(
                                                        running.incrementAndGet(), Math::max);
                                                uninterruptibly(release);
                                                running.decrementAndGet();
                                                return ended.incrementAndGet();
                                            })));
        }
        Runs.until(() -> running.get() == Blocking.MAX_AT_ONCE);
        // The last one waits for its place; ended now, it never runs and leaves the queue.
        Fiber<?> last = fibers.removeLast();
        last.terminate();
        assertThrows(FiberTerminatedException.class, last::await);
        release.countDown();
        for (Fiber<?> fiber : fibers) {
            fiber.await();
        }
        assertEquals(Blocking.MAX_AT_ONCE, most.get());
        assertEquals(calls - 1, ended.get());
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    /** "Cancelled" means "it did not happen". */
    @Test
    void F12_callOfATerminatedFiberDoesNotHappen() {
        AtomicBoolean happened = new AtomicBoolean();
        Cord cord = Runs.started("blocking", reports);
        Fiber<?> fiber =
                cord.spin(
                        "terminated",
                        () -> {
                            Fiber.current().terminate();
                            Blocking.call(
                                    () -> {
                                        happened.set(true);
                                        return 0;
                                    });
                        });
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertFalse(happened.get());
        Runs.checkAndClose(cord);
    }

    @Test
    void F12_manyCallsFromManyFibers() {
        Runs.real(
                reports,
                () -> {
                    List<Fiber<Integer>> fibers = new ArrayList<>();
                    for (int i = 0; i < 2_000; i++) {
                        int index = i;
                        fibers.add(
                                Fiber.spin(
                                        () -> {
                                            Fiber.sleep(Duration.ofNanos(index % 7));
                                            return Blocking.call(() -> index);
                                        }));
                    }
                    for (int i = 0; i < fibers.size(); i++) {
                        assertEquals(i, fibers.get(i).await());
                    }
                });
        reports.assertNone();
    }
}
