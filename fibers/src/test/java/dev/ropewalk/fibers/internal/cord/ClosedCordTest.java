package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Rules F7 and F8: a cord that has ended, or is about to, answers clearly. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ClosedCordTest {
    private final Reports reports = new Reports();

    /** Counts how it ended. */
    private static final class Counted extends CordMessage {
        private final AtomicInteger onCord;
        private final AtomicInteger onClosed;

        Counted(AtomicInteger onCord, AtomicInteger onClosed) {
            this.onCord = onCord;
            this.onClosed = onClosed;
        }

        @Override
        public void onCord() {
            onCord.incrementAndGet();
        }

        @Override
        public void onClosed() {
            onClosed.incrementAndGet();
        }
    }

    @Test
    void F7_closeEndsAllFibersInOrderAndIsHarmlessTwice() {
        Cord cord = Runs.started("closing", reports);
        List<String> log = new CopyOnWriteArrayList<>();
        CountDownLatch started = new CountDownLatch(1);
        Fiber<?> parent =
                cord.spin(
                        "parent",
                        () -> {
                            Fiber.spin(
                                    () -> {
                                        started.countDown();
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            log.add("child");
                                        }
                                    });
                            try {
                                Fiber.suspend();
                            } finally {
                                log.add("parent");
                            }
                        });
        Runs.await(started);
        cord.close();
        cord.close();
        assertEquals(List.of("parent", "child"), log);
        assertThrows(FiberTerminatedException.class, parent::await);
        reports.assertNone();
    }

    @Test
    void F8_closedCordAnswersEveryCall() {
        Cord cord = Runs.started("closed", reports);
        Fiber<@Nullable Object> waiting = cord.spin("waiting", () -> Fiber.suspend());
        Fiber<String> done = cord.spin("done", () -> "result");
        assertEquals("result", done.await());
        cord.close();

        awaitClosed(cord);
        CordClosedException refused =
                assertThrows(CordClosedException.class, () -> cord.spin("late", () -> {}));
        assertTrue(String.valueOf(refused.getMessage()).contains("cord closed"));
        assertThrows(
                CordClosedException.class, () -> cord.spinHandler("late", value -> Handler.END));
        Runs.real(
                () -> {
                    assertThrows(CordClosedException.class, () -> cord.spin("late", () -> {}));
                    assertTrue(Fiber.current().children().isEmpty());
                });
        AtomicInteger closed = new AtomicInteger();
        cord.post(new Counted(new AtomicInteger(), closed));
        assertEquals(1, closed.get());

        waiting.schedule("late");
        waiting.raise(new IllegalStateException("late"));
        waiting.terminate();
        assertThrows(FiberTerminatedException.class, waiting::await);
        assertEquals("result", done.await());
        assertTrue(done.awaitEnd(Duration.ZERO));
        reports.assertNone();
    }

    private static void awaitClosed(Cord cord) {
        Runs.until(
                () -> {
                    try {
                        cord.spin("probe", () -> {}).awaitEnd(Duration.ofSeconds(1));
                        return false;
                    } catch (CordClosedException expected) {
                        return true;
                    }
                });
    }

    @Test
    void F8_cordCannotWaitForItsOwnEnd() {
        Cord cord = Runs.started("own", reports);
        Throwable thrown = cord.spin("closer", () -> Runs.failureOf(cord::close)).await();
        assertTrue(thrown instanceof IllegalStateException, thrown::toString);
        Runs.checkAndClose(cord);
    }

    @Test
    void F8_cordMadeByRunEndsWithItsBodyAndIsNotClosed() {
        Cord[] own = new Cord[1];
        Runs.real(() -> own[0] = Cord.current());
        IllegalStateException thrown =
                assertThrows(IllegalStateException.class, () -> own[0].close());
        assertTrue(String.valueOf(thrown.getMessage()).contains("Cord.run"));
        assertThrows(CordClosedException.class, () -> own[0].spin("late", () -> {}));
    }

    @ParameterizedTest
    @EnumSource
    void F8_fiberOfAnotherCordClosesWhileItsSiblingsRun(StackKind stacks) {
        Cord cord = Runs.started("closed", reports);
        CountDownLatch siblingRan = new CountDownLatch(1);
        cord.spin("keeps its cord from closing", () -> Runs.await(siblingRan));
        Runs.real(
                stacks,
                reports,
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> closer =
                            Fiber.spin(
                                    () -> {
                                        cord.close();
                                        log.add("closed");
                                    });
                    Fiber.spin(
                            () -> {
                                log.add("sibling");
                                siblingRan.countDown();
                            });
                    closer.await();
                    assertEquals(List.of("sibling", "closed"), log);
                });
    }

    @ParameterizedTest
    @EnumSource
    void F8_terminatedFiberStillClosesItsCord(StackKind stacks) {
        Cord cord = Runs.started("closed", reports);
        CountDownLatch release = new CountDownLatch(1);
        cord.spin("keeps its cord from closing", () -> Runs.await(release));
        List<String> log = new CopyOnWriteArrayList<>();
        Runs.real(
                stacks,
                reports,
                () -> {
                    Fiber<?> closer =
                            Fiber.spin(
                                    () -> {
                                        try (cord) {
                                            Fiber.suspend();
                                        } finally {
                                            log.add("closed");
                                        }
                                    });
                    Fiber.snooze();
                    closer.terminate();
                    closer.terminate();
                    Runs.snooze(10);
                    assertEquals(List.of(), log);
                    release.countDown();
                    assertThrows(FiberTerminatedException.class, closer::await);
                });
        assertEquals(List.of("closed"), log);
        assertThrows(CordClosedException.class, () -> cord.spin("late", () -> {}));
    }

    /** Nobody else can be told: close throws nothing, and the fiber's parent is the cord. */
    @Test
    void F7_failureInCleanUpWhileClosingIsReported() {
        Cord cord = Runs.started("closing", reports);
        CountDownLatch started = new CountDownLatch(1);
        cord.spin(
                "failing",
                () -> {
                    started.countDown();
                    Runs.failureOf(Fiber::suspend);
                    throw new Exception("in clean-up");
                });
        Runs.await(started);
        cord.close();
        assertEquals("failing", reports.only().fiber().name());
        assertEquals("in clean-up", Runs.cause(reports.only().failure()).getMessage());
    }

    @Test
    void F8_cordWithAVirtualClockHasNoThreadOfItsOwn() {
        CordOptions virtual = Runs.virtualOptions(reports);
        IllegalArgumentException thrown =
                assertThrows(IllegalArgumentException.class, () -> Cord.start(virtual));
        assertTrue(String.valueOf(thrown.getMessage()).contains("Cord.run"));
    }

    /** A message must not throw; one that does must not make anybody wait for ever. */
    @Test
    void F8_messageThatThrowsLeavesNobodyWaiting() {
        Cord cord = Runs.started("broken", reports);
        Fiber<@Nullable Object> waiting = cord.spin("waiting", () -> Fiber.suspend());
        Runs.until(() -> waiting.state() == FiberState.WAITING);
        cord.post(
                Runs.message(
                        () -> {
                            throw new IllegalStateException("broken message");
                        }));
        waiting.schedule("value");
        assertTrue(waiting.awaitEnd(Duration.ofSeconds(10)), "waits for ever");
        try {
            cord.close();
        } catch (FiberAbandonedException theCordBroke) {
            assertTrue(String.valueOf(theCordBroke.getMessage()).contains("broken message"));
        }
    }

    /** It is not the code of the fiber that happens to look at the inbox. */
    @Test
    void F8_messageThatThrowsDoesNotFailAFiberThatSnoozes() {
        Cord cord = Runs.started("broken", reports);
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch posted = new CountDownLatch(1);
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Fiber<?> snoozing =
                cord.spin(
                        "snoozing",
                        () -> {
                            started.countDown();
                            Runs.await(posted);
                            try {
                                Runs.snooze(2 * FiberLoop.POLL_INTERVAL);
                            } catch (IllegalStateException e) {
                                thrown.add(e);
                            }
                        });
        Runs.await(started);
        cord.post(
                Runs.message(
                        () -> {
                            throw new IllegalStateException("broken message");
                        }));
        posted.countDown();
        snoozing.awaitEnd(Duration.ofSeconds(10));
        cord.close();
        assertEquals(List.of(), thrown);
    }

    /** Because it may be code of any program, which takes another lock. */
    @Test
    void F8_whatIsSentUnderALockIsRefusedWhenItIsReleased() {
        Cord cord = Runs.started("ended", reports);
        cord.close();
        AtomicInteger onClosed = new AtomicInteger();
        Counted message = new Counted(new AtomicInteger(), onClosed);
        int result =
                Waits.refusingLater(
                        () -> {
                            cord.post(message);
                            int inside = Waits.refusingLater(onClosed::get);
                            assertEquals(0, onClosed.get());
                            return inside;
                        });
        assertEquals(0, result);
        assertEquals(1, onClosed.get());
        assertThrows(
                IllegalStateException.class,
                () ->
                        Waits.refusingLater(
                                () -> {
                                    cord.post(new Counted(new AtomicInteger(), onClosed));
                                    throw new IllegalStateException("planted");
                                }));
        assertEquals(2, onClosed.get());
        cord.post(new Counted(new AtomicInteger(), onClosed));
        assertEquals(3, onClosed.get());
    }

    @Test
    void F8_everySpinAndEveryMessageIsAnsweredOnceWhileTheCordCloses() throws InterruptedException {
        for (int round = 0; round < 10; round++) {
            AtomicInteger onCord = new AtomicInteger();
            AtomicInteger onClosed = new AtomicInteger();
            AtomicInteger sent = new AtomicInteger();
            AtomicInteger answered = new AtomicInteger();
            Cord cord = Runs.started("closing", reports);
            CountDownLatch go = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            Runs.await(go);
                                            for (int k = 0; k < 500; k++) {
                                                cord.post(new Counted(onCord, onClosed));
                                                sent.incrementAndGet();
                                                if (k % 10 == 0) {
                                                    spinAndAwait(cord);
                                                    answered.incrementAndGet();
                                                }
                                            }
                                        }));
            }
            go.countDown();
            Runs.until(() -> answered.get() > 0);
            cord.close();
            for (Thread thread : threads) {
                thread.join();
            }
            Runs.until(() -> onCord.get() + onClosed.get() == sent.get());
            assertEquals(1_500, sent.get());
            assertEquals(150, answered.get());
        }
        // Refused before anybody awaited them.
        for (Reports.Report report : reports.all()) {
            assertTrue(Runs.cause(report.failure()) instanceof CordClosedException);
        }
    }

    private static void spinAndAwait(Cord cord) {
        try {
            Fiber<String> fiber = cord.spin("late", () -> "result");
            assertTrue(fiber.awaitEnd(Duration.ofSeconds(10)), "no answer from " + fiber);
            assertSame("result", fiber.await());
        } catch (CordClosedException refused) {
            // One of the clear answers.
        } catch (FiberFailedException ended) {
            assertTrue(
                    ended instanceof FiberTerminatedException
                            || Runs.cause(ended) instanceof CordClosedException,
                    ended::toString);
        }
    }
}
