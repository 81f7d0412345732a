package dev.ropewalk.fibers.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** Rule F8: one compare-and-set decides a wait; see {@link WaitCellRaceTest} for the races. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitCellTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void F8_givenBeforeTheAwaitReturnsAtOnce() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell waiter = new WaitCell();
                    assertTrue(waiter.isWaiting());
                    assertTrue(waiter.give("value"));
                    assertFalse(waiter.isWaiting());
                    assertFalse(waiter.give("second"));
                    assertEquals("value", waiter.await("a value"));
                });
    }

    @Test
    void F8_givenWhileItWaits() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell waiter = new WaitCell();
                    assertSame(Fiber.current(), waiter.fiber());
                    Fiber.spin(() -> waiter.give(null));
                    assertNull(waiter.await("nothing"));
                    assertFalse(waiter.give("late"));
                });
    }

    @Test
    void F8_givingSchedulesAndNeverSwitches() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell[] waiter = new WaitCell[1];
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        waiter[0] = new WaitCell();
                                        log.add("got " + waiter[0].await("a value"));
                                    });
                    Runs.settle();
                    assertTrue(waiter[0].give("value"));
                    assertEquals(List.of(), log);
                    assertEquals(FiberState.RUNNABLE, fiber.state());
                    fiber.await();
                    assertEquals(List.of("got value"), log);
                });
    }

    @Test
    void F8_claimDecidesAndWakeWakes() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell[] waiter = new WaitCell[1];
                    Fiber<@Nullable Object> fiber =
                            Fiber.spin(
                                    () -> {
                                        waiter[0] = new WaitCell();
                                        return waiter[0].await("a value", SECOND);
                                    });
                    Runs.settle();
                    assertTrue(waiter[0].claim("claimed"));
                    assertFalse(waiter[0].claim("again"));
                    assertFalse(waiter[0].give("again"));
                    assertEquals(FiberState.WAITING, fiber.state());
                    waiter[0].wake();
                    assertEquals(FiberState.RUNNABLE, fiber.state());
                    assertEquals("claimed", fiber.await());
                });
    }

    @Test
    void F8_timedOutWaiterTakesNothing() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell waiter = new WaitCell();
                    long before = Cord.current().nanoTime();
                    assertSame(Waits.TIMED_OUT, waiter.await("nothing", SECOND));
                    assertEquals(SECOND, Cord.current().nanoTime() - before);
                    assertFalse(waiter.isWaiting());
                    assertFalse(waiter.give("late"));
                });
    }

    /** Claimed and not yet woken when the limit passes: who loses takes the value. */
    @Test
    void F8_valueBeatsATimeoutThatComesAfterIt() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell[] waiter = new WaitCell[1];
                    Fiber<@Nullable Object> fiber =
                            Fiber.spin(
                                    () -> {
                                        waiter[0] = new WaitCell();
                                        Object value = waiter[0].await("a value", SECOND);
                                        Fiber.sleep(Duration.ofSeconds(5));
                                        return value;
                                    });
                    Runs.settle();
                    waiter[0].claim("claimed");
                    Fiber.sleep(Duration.ofSeconds(2));
                    // The fiber sleeps by now; the wake-up of a wait that is over ends no other.
                    waiter[0].wake();
                    long before = Cord.current().nanoTime();
                    assertEquals("claimed", fiber.await());
                    assertEquals(4 * SECOND - 1, Cord.current().nanoTime() - before);
                });
    }

    @Test
    void F8_valueGivenBeforeARaiseIsTakenAndTheRaiseComesLater() {
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    List<@Nullable Object> taken = new ArrayList<>();
                    WaitCell[] waiter = new WaitCell[1];
                    Fiber<Throwable> fiber =
                            Fiber.spin(
                                    () -> {
                                        waiter[0] = new WaitCell();
                                        taken.add(waiter[0].await("a value"));
                                        return Runs.failureOf(Fiber::snooze);
                                    });
                    Runs.settle();
                    assertTrue(waiter[0].claim("value"));
                    fiber.raise(raised);
                    waiter[0].wake();
                    assertSame(raised, fiber.await());
                    assertEquals(List.of("value"), taken);
                });
    }

    @Test
    void F8_raisedOrTerminatedWaiterTakesNothing() {
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    WaitCell[] waiter = new WaitCell[1];
                    Fiber<Throwable> fiber =
                            Fiber.spin(
                                    () -> {
                                        waiter[0] = new WaitCell();
                                        WaitCell own = waiter[0];
                                        return Runs.failureOf(() -> own.await("nothing"));
                                    });
                    Runs.settle();
                    fiber.raise(raised);
                    assertSame(raised, fiber.await());
                    assertFalse(waiter[0].give("late"));

                    Fiber<?> terminated =
                            Fiber.spin(
                                    () -> {
                                        waiter[0] = new WaitCell();
                                        waiter[0].await("nothing");
                                    });
                    Runs.settle();
                    terminated.terminate();
                    assertThrows(FiberTerminatedException.class, terminated::await);
                    assertFalse(waiter[0].give("late"));
                });
    }

    @Test
    void F8_raiseDecidesAgainstALaterGiverAtOnce() {
        Runs.inAnyOrder(
                () -> {
                    Exception raised = new Exception("raised");
                    WaitCell[] waiter = new WaitCell[1];
                    Fiber<Throwable> fiber =
                            Fiber.spin(
                                    () -> {
                                        waiter[0] = new WaitCell();
                                        WaitCell own = waiter[0];
                                        return Runs.failureOf(() -> own.await("nothing", SECOND));
                                    });
                    Runs.settle();
                    fiber.raise(raised);
                    assertFalse(waiter[0].give("late"));
                    assertSame(raised, fiber.await());
                });
    }

    /** Polyphony's spurious resumes ended whatever the fiber was waiting for. */
    @Test
    void F4_givingAWaiterThatIsNotAwaitedYetEndsNoOtherWait() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell waiter = new WaitCell();
                    Fiber.spin(() -> waiter.give("value"));
                    long before = Cord.current().nanoTime();
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(SECOND, Cord.current().nanoTime() - before);
                    assertEquals("value", waiter.await("a value"));
                });
    }

    @Test
    void F8_waiterCarriesWhatItsSubclassHas() {
        Runs.inAnyOrder(
                () -> {
                    class Sender extends WaitCell {
                        final String element = "element";
                    }
                    Sender sender = new Sender();
                    Fiber.spin(() -> sender.give("took " + sender.element));
                    assertEquals("took element", sender.await("a receiver"));
                });
    }

    @Test
    void F8_waiterIsForOneWaitOfItsOwnFiber() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell waiter = new WaitCell();
                    Throwable foreign =
                            Fiber.spin(() -> Runs.failureOf(() -> waiter.await("nothing"))).await();
                    assertTrue(foreign instanceof IllegalStateException, foreign::toString);
                    assertSame(Waits.TIMED_OUT, waiter.await("nothing", SECOND));
                    Throwable twice = Runs.failureOf(() -> waiter.await("nothing", SECOND));
                    assertTrue(twice instanceof IllegalStateException, twice::toString);
                });
    }

    @Test
    void F8_messageCannotWait() {
        Runs.inAnyOrder(
                () -> {
                    List<Throwable> thrown = new ArrayList<>();
                    Cord.current()
                            .post(Runs.message(() -> thrown.add(Runs.failureOf(WaitCell::new))));
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertTrue(thrown.getFirst() instanceof IllegalStateException);
                });
    }

    @Test
    void F8_plainThreadWaits() {
        WaitCell timed = new WaitCell();
        assertNull(timed.fiber());
        assertSame(Waits.TIMED_OUT, timed.await("nothing", 1_000_000));
        assertFalse(timed.give("late"));
        for (long limit : new long[] {0, -1, Long.MIN_VALUE}) {
            assertSame(Waits.TIMED_OUT, new WaitCell().await("nothing", limit));
        }

        WaitCell given = new WaitCell();
        Thread giver = Thread.ofPlatform().start(() -> given.give("value"));
        assertEquals("value", given.await("a value", 10 * SECOND));
        assertFalse(giver.isInterrupted());

        WaitCell before = new WaitCell();
        before.give(null);
        assertNull(before.await("nothing"));
    }

    @Test
    void F8_momentThatIsPastEndsTheWaitAtOnceAndLeavesNoTimer() {
        Runs.inAnyOrder(
                () -> {
                    // Of the same limit, so their timers are in one chain.
                    Fiber<?> other = Fiber.spin(() -> new WaitCell().await("nothing", SECOND));
                    Runs.settle();
                    long now = Waits.nanoTime();
                    int timers = CordImpl.current().timers.size();
                    for (long moment : new long[] {now, now - 1, now - 100 * SECOND}) {
                        WaitCell waiter = new WaitCell();
                        assertSame(Waits.TIMED_OUT, waiter.awaitUntil("nothing", moment, SECOND));
                        assertFalse(waiter.isWaiting());
                        assertFalse(waiter.give("late"));
                        assertEquals(timers, CordImpl.current().timers.size());
                    }
                    assertTrue(Waits.nanoTime() - now < SECOND / 2);
                    other.terminate();
                });
    }

    @Test
    void F8_waitThatEndsBeforeItsMomentLeavesNoTimer() {
        Runs.inAnyOrder(
                () -> {
                    int timers = CordImpl.current().timers.size();
                    long moment = Waits.nanoTime() + 10 * SECOND;
                    List<WaitCell> cells = new ArrayList<>();
                    Callable<@Nullable Object> waits =
                            () -> {
                                WaitCell mine = new WaitCell();
                                cells.add(mine);
                                return mine.awaitUntil("a value", moment, 10 * SECOND);
                            };
                    Fiber<@Nullable Object> given = Fiber.spin(waits);
                    Fiber<@Nullable Object> ended = Fiber.spin(waits);
                    Runs.settle();
                    assertEquals(timers + 2, CordImpl.current().timers.size());
                    ended.terminate();
                    cells.stream()
                            .filter(each -> each.fiber() == given)
                            .forEach(each -> each.give("value"));
                    assertEquals("value", given.await());
                    Runs.settle();
                    assertEquals(timers, CordImpl.current().timers.size());
                });
    }

    @Test
    void F8_valueThatIsThereBeatsAMomentThatIsPast() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell waiter = new WaitCell();
                    waiter.give("value");
                    long past = Waits.nanoTime() - SECOND;
                    assertEquals("value", waiter.awaitUntil("a value", past, SECOND));
                });
        WaitCell waiter = new WaitCell();
        waiter.give("value");
        long past = Waits.nanoTime() - SECOND;
        assertEquals("value", waiter.awaitUntil("a value", past, SECOND));
    }

    @Test
    void F8_withoutALimitTheMomentIsNotLookedAt() {
        Runs.inAnyOrder(
                () -> {
                    WaitCell waiter = new WaitCell();
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(Duration.ofSeconds(1));
                                waiter.give("value");
                            });
                    assertEquals("value", waiter.awaitUntil("a value", 0, Long.MAX_VALUE));
                });
        WaitCell waiter = new WaitCell();
        Thread thread = Thread.currentThread();
        Thread.ofPlatform()
                .start(
                        () -> {
                            Runs.until(() -> thread.getState() == Thread.State.WAITING);
                            waiter.give("value");
                        });
        long past = Waits.nanoTime() - SECOND;
        assertEquals("value", waiter.awaitUntil("a value", past, Long.MAX_VALUE));
    }

    @Test
    void F8_plainThreadWaitsUntilAMoment() {
        long now = Waits.nanoTime();
        for (long moment : new long[] {now, now - 1, now - 100 * SECOND}) {
            WaitCell waiter = new WaitCell();
            // By the limit it would last longer than the test may.
            assertSame(Waits.TIMED_OUT, waiter.awaitUntil("nothing", moment, 1_000 * SECOND));
            assertFalse(waiter.isWaiting());
            assertFalse(waiter.give("late"));
        }
        long moment = Waits.nanoTime() + SECOND / 1_000;
        assertSame(Waits.TIMED_OUT, new WaitCell().awaitUntil("nothing", moment, SECOND));
        assertTrue(Waits.nanoTime() - moment >= 0);
    }

    @Test
    void F8_interruptedThreadTakesNothing() throws InterruptedException {
        WaitCell[] waiter = new WaitCell[1];
        List<Throwable> thrown = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(1);
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    WaitCell own = new WaitCell();
                                    waiter[0] = own;
                                    ready.countDown();
                                    thrown.add(Runs.failureOf(() -> own.await("nothing")));
                                });
        Runs.await(ready);
        Runs.until(() -> thread.getState() == Thread.State.WAITING);
        thread.interrupt();
        thread.join();
        assertTrue(thrown.getFirst() instanceof WaitInterruptedException, thrown::toString);
        assertFalse(waiter[0].give("late"));
    }

    @Test
    void F8_interruptedThreadThatWasGivenTakesTheValueAndStaysInterrupted() {
        WaitCell waiter = new WaitCell();
        waiter.give("value");
        Thread.currentThread().interrupt();
        try {
            assertEquals("value", waiter.await("a value"));
            assertTrue(Thread.currentThread().isInterrupted());
        } finally {
            Thread.interrupted();
        }
    }
}
