package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Rule F7: a child may run on another cord than its parent. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ForeignChildrenTest {
    private final Reports reports = new Reports();
    private final Cord other = Runs.started("other", reports);

    @AfterEach
    void close() {
        Runs.checkAndClose(other);
    }

    @ParameterizedTest
    @EnumSource
    void F7_childOfAnotherCordEndsBeforeItsParent(StackKind stacks) {
        List<String> log = new CopyOnWriteArrayList<>();
        CountDownLatch started = new CountDownLatch(1);
        Runs.real(
                stacks,
                reports,
                () -> {
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Fiber<?> child =
                                                other.spin(
                                                        "child",
                                                        () -> {
                                                            started.countDown();
                                                            try {
                                                                Fiber.suspend();
                                                            } finally {
                                                                log.add("child");
                                                            }
                                                        });
                                        assertSame(Fiber.current(), child.parent());
                                        assertSame(other, child.cord());
                                        Runs.await(started);
                                    });
                    parent.await();
                    log.add("parent");
                    assertTrue(parent.children().isEmpty());
                });
        assertEquals(List.of("child", "parent"), log);
        reports.assertNone();
    }

    @Test
    void F7_childThatHasNotArrivedYetIsTerminatedToo() {
        for (int i = 0; i < 200; i++) {
            Runs.real(
                    () -> {
                        Fiber<?> child = other.spin("child", () -> Fiber.suspend());
                        Fiber.snooze();
                        assertEquals(Cord.current(), Fiber.current().cord());
                        child.terminate();
                    });
        }
        reports.assertNone();
    }

    @Test
    void F7_failingChildOfAnotherCordCancelsItsParent() {
        Exception boom = new Exception("boom");
        FiberFailedException failure =
                assertThrows(
                        FiberFailedException.class,
                        () ->
                                Runs.real(
                                        () -> {
                                            other.spin(
                                                    "child",
                                                    () -> {
                                                        throw boom;
                                                    });
                                            Fiber.suspend();
                                        }));
        assertSame(boom, Runs.cause(Runs.cause(failure)));
        reports.assertNone();
    }

    @Test
    void F7_resultOfAChildOfAnotherCordIsAwaited() {
        Runs.real(
                () -> {
                    for (int i = 0; i < 500; i++) {
                        int index = i;
                        assertEquals(index, other.spin("child", () -> index).await());
                    }
                });
    }

    /**
     * The child may have failed before the await arrives there; for its parent that is the same.
     */
    @Test
    void F7_failureOfAChildThatIsAwaitedAtOnceIsTheAwaitersOnly() {
        Exception boom = new Exception("boom");
        Runs.real(
                () -> {
                    Fiber<?> child =
                            other.spin(
                                    "child",
                                    () -> {
                                        throw boom;
                                    });
                    Runs.spinUntilDead(child);
                    assertSame(boom, Runs.cause(Runs.failureOf(child::await)));
                    Fiber.sleep(Duration.ofMillis(5));
                });
    }

    @Test
    void F7_cleanUpFailureOnAnotherCordIsKept() {
        CountDownLatch started = new CountDownLatch(1);
        FiberFailedException failure =
                assertThrows(
                        FiberFailedException.class,
                        () ->
                                Runs.real(
                                        () -> {
                                            other.spin(
                                                    "child",
                                                    () -> {
                                                        started.countDown();
                                                        Runs.failureOf(Fiber::suspend);
                                                        throw new Exception("in clean-up");
                                                    });
                                            Runs.await(started);
                                        }));
        assertEquals("in clean-up", Runs.cause(Runs.cause(failure)).getMessage());
    }

    /**
     * The child's cord learns of the termination and of the abandonment in one look, while the
     * child is running: it must not live on as a dead fiber, nor have two outcomes.
     */
    @Test
    void F7_childThatRunsWhileItIsAbandonedStaysAbandoned() {
        CountDownLatch parentIsOver = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(1);
        List<String> log = new CopyOnWriteArrayList<>();
        Fiber<?>[] child = new FiberImpl<?>[1];
        CordOptions hurried =
                CordOptions.named("hurried")
                        .withStopLimit(Duration.ofNanos(1))
                        .withUncaught(reports);
        Cord.<@Nullable Object>run(
                hurried,
                () -> {
                    child[0] =
                            other.spin(
                                    "child",
                                    () -> {
                                        started.countDown();
                                        Runs.await(parentIsOver);
                                        Runs.snooze(2 * FiberLoop.POLL_INTERVAL);
                                        log.add("lived on");
                                    });
                    Runs.await(started);
                    return null;
                });
        parentIsOver.countDown();
        assertTrue(child[0].awaitEnd(Duration.ofSeconds(10)));
        Object outcome = FiberImpl.of(child[0]).outcome();
        // The cord goes on, and what is left of the child has ended.
        for (int i = 0; i < 3; i++) {
            other.spin("others run", () -> Runs.snooze(2 * FiberLoop.POLL_INTERVAL)).await();
        }
        assertEquals(FiberState.DEAD, child[0].state());
        assertSame(outcome, FiberImpl.of(child[0]).outcome());
        assertEquals(List.of(), log);
        Throwable end = Runs.failureOf(child[0]::await);
        assertTrue(end instanceof FiberFailedException, end::toString);
        assertEquals(end instanceof FiberAbandonedException ? 1 : 0, reports.all().size());
    }

    @Test
    void F8_closingTheCordOfAChildAnswersWhoAwaitsIt() {
        Cord closed = Runs.started("closed", reports);
        CountDownLatch started = new CountDownLatch(1);
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Fiber<?> parent =
                other.spin(
                        "parent",
                        () -> {
                            Fiber<?> child =
                                    closed.spin(
                                            "child",
                                            () -> {
                                                started.countDown();
                                                Fiber.suspend();
                                            });
                            thrown.add(Runs.failureOf(child::await));
                        });
        Runs.await(started);
        closed.close();
        assertTrue(parent.awaitEnd(Duration.ofSeconds(10)), "the parent waits for ever");
        assertEquals(1, thrown.size());
        assertTrue(
                thrown.getFirst() instanceof FiberTerminatedException
                        || thrown.getFirst() instanceof CordClosedException,
                thrown::toString);
    }

    @Test
    void F8_closingTheCordOfAChildThatNobodyAwaitsTellsItsParent() {
        Cord closed = Runs.started("closed", reports);
        CountDownLatch started = new CountDownLatch(1);
        List<String> log = new CopyOnWriteArrayList<>();
        Fiber<?> parent =
                other.spin(
                        "parent",
                        () -> {
                            closed.spin(
                                    "child",
                                    () -> {
                                        try {
                                            started.countDown();
                                            Fiber.suspend();
                                        } finally {
                                            log.add("cleaned up");
                                        }
                                    });
                            Fiber.suspend();
                        });
        Runs.await(started);
        closed.close();
        Runs.until(() -> log.contains("cleaned up"));
        parent.terminate();
        // Without an answer it would wait for its child until the stop limit.
        assertTrue(parent.awaitEnd(Duration.ofSeconds(3)), "the parent waits for its child");
        reports.assertNone();
    }
}
