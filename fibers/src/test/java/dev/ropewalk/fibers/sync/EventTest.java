package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Rules F5, F6, F8: each signal of an automatic event lets one go, a manual one lets all go. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class EventTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    @FunctionalInterface
    private interface Play {
        void with(Event event) throws Exception;
    }

    private static void automatic(Form form, Play play) {
        TestCord.run(checked(form.name() + " automatic", () -> form.event(), play));
    }

    private static void manual(Form form, Play play) {
        TestCord.run(checked(form.name() + " manual", () -> form.manualEvent(), play));
    }

    @FunctionalInterface
    private interface Maker {
        Event make();
    }

    private static Action checked(String what, Maker maker, Play play) {
        return () -> {
            Event event = maker.make();
            play.with(event);
            event.checkInvariants();
            assertEquals(0, event.waiting(), what);
        };
    }

    private static Fiber<?> waiter(Event event, List<String> log, String name) {
        Fiber<?> fiber =
                Fiber.spin(
                        name,
                        () -> {
                            event.await();
                            log.add(name);
                        });
        Crowd.settle();
        return fiber;
    }

    @ParameterizedTest
    @EnumSource
    void signalLetsTheOneGoWhoWaitsLongest(Form form) {
        automatic(
                form,
                event -> {
                    List<String> log = new ArrayList<>();
                    waiter(event, log, "a");
                    waiter(event, log, "b");
                    event.signal();
                    assertFalse(event.isSignalled());
                    assertEquals(List.of(), log);
                    Crowd.settle();
                    assertEquals(List.of("a"), log);
                    event.signal();
                    Crowd.settle();
                    assertEquals(List.of("a", "b"), log);
                });
    }

    /** Where marl's condition variable wakes one of two waiters. */
    @ParameterizedTest
    @EnumSource
    void twoSignalsBeforeAnybodyRunsLetTwoGo(Form form) {
        automatic(
                form,
                event -> {
                    List<String> log = new ArrayList<>();
                    waiter(event, log, "a");
                    waiter(event, log, "b");
                    event.signal();
                    event.signal();
                    Crowd.settle();
                    assertEquals(2, log.size());
                    assertFalse(event.isSignalled());
                });
    }

    @ParameterizedTest
    @EnumSource
    void oneSignalIsRememberedAndFurtherOnesAddNothing(Form form) {
        automatic(
                form,
                event -> {
                    event.signal();
                    event.signal();
                    assertTrue(event.isSignalled());
                    event.await();
                    assertFalse(event.isSignalled());
                    assertFalse(event.await(SHORT));
                    event.signal();
                    event.clear();
                    assertFalse(event.await(Duration.ZERO));
                });
    }

    @ParameterizedTest
    @EnumSource
    void manualEventLetsAllGoInOrderUntilItIsCleared(Form form) {
        Crowd.fifo(
                checked(
                        form.name(),
                        form::manualEvent,
                        event -> {
                            List<String> log = new ArrayList<>();
                            waiter(event, log, "a");
                            waiter(event, log, "b");
                            event.signal();
                            event.clear();
                            assertEquals(List.of(), log);
                            Crowd.settle();
                            assertEquals(List.of("a", "b"), log);
                            assertFalse(event.await(SHORT));
                            event.signal();
                            event.await();
                            event.await();
                            assertTrue(event.isSignalled());
                        }));
    }

    @ParameterizedTest
    @EnumSource
    void F5_timedOutWaiterEatsNoSignal(Form form) {
        automatic(
                form,
                event -> {
                    long before = Cord.current().nanoTime();
                    assertFalse(event.await(SHORT));
                    assertEquals(SHORT.toNanos(), Cord.current().nanoTime() - before);
                    assertEquals(0, event.waiting());
                    event.signal();
                    assertTrue(event.await(Duration.ZERO));
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_terminatedOrCancelledWaiterEatsNoSignal(Form form) {
        automatic(
                form,
                event -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> terminated = waiter(event, log, "terminated");
                    Fiber<Boolean> cancelled =
                            Fiber.spin(() -> CancelScope.moveOnAfter(SHORT, () -> event.await()));
                    Crowd.settle();
                    waiter(event, log, "c");
                    terminated.terminate();
                    assertFalse(cancelled.await());
                    event.signal();
                    Crowd.settle();
                    assertEquals(List.of("c"), log);
                    assertFalse(event.isSignalled());
                });
    }

    /** The worst moment: terminated, and signalled before it has gone on. */
    @ParameterizedTest
    @EnumSource
    void F6_signalAfterATerminationGoesToTheNext(Form form) {
        automatic(
                form,
                event -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> first = waiter(event, log, "first");
                    waiter(event, log, "next");
                    first.terminate();
                    event.signal();
                    Crowd.settle();
                    assertEquals(List.of("next"), log);
                });
    }

    /** The other way round the first has the signal, and the termination comes later. */
    @ParameterizedTest
    @EnumSource
    void F6_terminationAfterASignalLeavesItToTheFirst(Form form) {
        automatic(
                form,
                event -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> first = waiter(event, log, "first");
                    Fiber<?> next = waiter(event, log, "next");
                    event.signal();
                    first.terminate();
                    first.awaitEnd(Waits.FOREVER);
                    assertEquals(List.of("first"), log);
                    assertEquals(1, event.waiting());
                    next.terminate();
                    next.awaitEnd(Waits.FOREVER);
                });
    }

    @ParameterizedTest
    @EnumSource
    void callThatNeedNotWaitIsNoSwitchpoint(Form form) {
        manual(
                form,
                event -> {
                    List<String> log = new ArrayList<>();
                    Fiber.spin(() -> log.add("other"));
                    event.signal();
                    event.await();
                    assertTrue(event.await(SHORT));
                    assertEquals(event, Event.awaitAny(List.of(event)));
                    assertEquals(List.of(), log);
                });
    }

    @ParameterizedTest
    @EnumSource
    void misuse_negativeLimit(Form form) {
        automatic(
                form,
                event ->
                        Crowd.assertSays(
                                IllegalArgumentException.class,
                                Crowd.failureOf(() -> event.await(Duration.ofNanos(-1)))));
    }

    @Test
    void misuse_localFromAnotherThread() {
        TestCord.run(
                () -> {
                    Event local = Event.local();
                    for (Action wrong :
                            List.<Action>of(
                                    local::await,
                                    local::signal,
                                    local::clear,
                                    local::isSignalled,
                                    () -> Event.awaitAny(List.of(local)))) {
                        Crowd.assertSays(
                                WrongThreadException.class,
                                Crowd.failureOnAThread(wrong),
                                local.toString(),
                                "Event.shared()");
                    }
                });
    }

    @Test
    void F8_threadWaitsAndAnInterruptedOneTakesNothing() {
        Event event = Event.shared();
        ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        Thread first = Crowd.thread(thrown, event::await);
        Crowd.until(() -> event.waiting() == 1);
        Thread second = Crowd.thread(thrown, () -> Event.awaitAny(List.of(Event.shared(), event)));
        Crowd.until(() -> event.waiting() == 2);
        first.interrupt();
        Crowd.join(first);
        event.signal();
        Crowd.join(second);
        assertEquals(1, thrown.size());
        Crowd.assertSays(WaitInterruptedException.class, thrown.remove());
        assertFalse(event.isSignalled());
        event.checkInvariants();
    }
}
