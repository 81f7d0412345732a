package dev.ropewalk.fibers.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rules F5, F6, F8: a wait for any of several events takes one signal and leaves no trace in the
 * others. The random days pass one token for each event around, so a signal that is lost or made
 * shows.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class EventAnyTest {
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final int EVENTS = 3;

    @FunctionalInterface
    private interface Play {
        void with(Event a, Event b, Event c) throws Exception;
    }

    private static List<Event> events(Form form) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            events.add(form.event());
        }
        return events;
    }

    private static void run(Form form, Play play) {
        TestCord.run(
                () -> {
                    List<Event> events = events(form);
                    play.with(events.get(0), events.get(1), events.get(2));
                    for (Event each : events) {
                        each.checkInvariants();
                        assertEquals(0, each.waiting());
                    }
                });
    }

    private static Fiber<Event> waiter(Event... events) {
        Fiber<Event> fiber = Fiber.spin(() -> Event.awaitAny(List.of(events)));
        Crowd.settle();
        return fiber;
    }

    @ParameterizedTest
    @EnumSource
    void saysWhichOneAndLeavesTheOthers(Form form) {
        run(
                form,
                (a, b, c) -> {
                    Fiber<Event> waiter = waiter(a, b, c);
                    assertEquals(1, a.waiting() * b.waiting() * c.waiting());
                    b.signal();
                    a.signal();
                    assertSame(b, waiter.await());
                    assertFalse(b.isSignalled());
                    assertTrue(a.isSignalled());
                    assertEquals(0, a.waiting() + c.waiting());
                    a.clear();
                });
    }

    @ParameterizedTest
    @EnumSource
    void ofThoseSignalledAlreadyItTakesTheFirstInTheListOnly(Form form) {
        run(
                form,
                (a, b, c) -> {
                    b.signal();
                    c.signal();
                    assertSame(c, Event.awaitAny(List.of(a, c, b)));
                    assertTrue(b.isSignalled());
                    assertFalse(c.isSignalled());
                    assertSame(b, Event.awaitAny(List.of(a, c, b), Duration.ZERO));
                    assertNull(Event.awaitAny(List.of(a, b, c), Duration.ZERO));
                });
    }

    @ParameterizedTest
    @EnumSource
    void standsInOrderInEachQueue(Form form) {
        run(
                form,
                (a, b, c) -> {
                    Fiber<Event> first = waiter(b);
                    Fiber<Event> any = waiter(a, b);
                    Fiber<Event> last = waiter(b);
                    b.signal();
                    Crowd.settle();
                    assertSame(b, first.await());
                    b.signal();
                    b.signal();
                    assertSame(b, any.await());
                    assertSame(b, last.await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F5_timedOutWaiterLeavesNoTrace(Form form) {
        run(
                form,
                (a, b, c) -> {
                    long before = Cord.current().nanoTime();
                    assertNull(Event.awaitAny(List.of(a, b, c), SHORT));
                    assertEquals(SHORT.toNanos(), Cord.current().nanoTime() - before);
                    assertEquals(0, a.waiting() + b.waiting() + c.waiting());
                    c.signal();
                    assertTrue(c.isSignalled());
                    c.clear();
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_terminatedOrCancelledWaiterLeavesNoTraceAndEatsNothing(Form form) {
        run(
                form,
                (a, b, c) -> {
                    Fiber<Event> terminated = waiter(a, b, c);
                    Fiber<Boolean> cancelled =
                            Fiber.spin(
                                    () ->
                                            CancelScope.moveOnAfter(
                                                    SHORT, () -> Event.awaitAny(List.of(c, b))));
                    Crowd.settle();
                    Fiber<Event> next = waiter(b);
                    assertEquals(3, b.waiting());
                    terminated.terminate();
                    b.signal(); // for the cancelled one, which is not yet
                    assertTrue(cancelled.await());
                    Assertions.assertThrows(FiberTerminatedException.class, terminated::await);
                    assertEquals(0, a.waiting() + c.waiting());
                    assertEquals(1, b.waiting());
                    assertFalse(
                            CancelScope.moveOnAfter(SHORT, () -> Event.awaitAny(List.of(b, a))));
                    assertEquals(1, b.waiting());
                    b.signal();
                    assertSame(b, next.await());
                });
    }

    /** The worst moment: claimed by one event, and another is signalled before it goes on. */
    @ParameterizedTest
    @EnumSource
    void F8_signalThatComesSecondStays(Form form) {
        run(
                form,
                (a, b, c) -> {
                    Fiber<Event> waiter = waiter(a, b, c);
                    c.signal();
                    a.signal();
                    waiter.terminate();
                    waiter.awaitEnd(Waits.FOREVER);
                    assertTrue(a.isSignalled());
                    assertFalse(c.isSignalled());
                    a.clear();
                });
    }

    @ParameterizedTest
    @EnumSource
    void sameEventTwiceAndManualOnes(Form form) {
        run(
                form,
                (a, b, c) -> {
                    Event manual = form.manualEvent();
                    Fiber<Event> twice = waiter(a, manual, a);
                    Fiber<Event> other = waiter(manual, b);
                    a.signal();
                    assertSame(a, twice.await());
                    assertFalse(a.isSignalled());
                    manual.signal();
                    assertSame(manual, other.await());
                    assertTrue(manual.isSignalled());
                    assertSame(manual, Event.awaitAny(List.of(c, manual)));
                    assertEquals(0, manual.waiting());
                });
    }

    @Test
    void C4_sharedAndLocalOnesInOneWait() {
        TestCord.run(
                () -> {
                    Event local = Event.local();
                    Event shared = Event.shared();
                    for (Event signalled : List.of(local, shared)) {
                        Fiber<Event> fiber = waiter(local, shared);
                        signalled.signal();
                        assertSame(signalled, fiber.await());
                        assertEquals(0, local.waiting() + shared.waiting());
                        assertFalse(local.isSignalled() || shared.isSignalled());
                    }
                });
    }

    @Test
    void misuse_noneAndNegativeLimit() {
        TestCord.run(
                () -> {
                    Event shared = Event.shared();
                    Crowd.assertSays(
                            IllegalArgumentException.class,
                            Crowd.failureOf(() -> Event.awaitAny(List.of())),
                            "events=[]");
                    Crowd.assertSays(
                            IllegalArgumentException.class,
                            Crowd.failureOf(
                                    () -> Event.awaitAny(List.of(shared), Duration.ofNanos(-1))));
                });
    }

    @Test
    void misuse_eventOfAnotherCord() {
        ConcurrentLinkedQueue<Throwable> wrong = new ConcurrentLinkedQueue<>();
        try (Cord own = Crowd.start("own", wrong);
                Cord other = Crowd.start("other", wrong)) {
            Event foreign = other.<Event>spin("maker", () -> Event.local()).await();
            own.spin(
                            "user",
                            () -> {
                                Event local = Event.local();
                                Crowd.assertSays(
                                        WrongThreadException.class,
                                        Crowd.failureOf(
                                                () -> Event.awaitAny(List.of(local, foreign))),
                                        foreign.toString(),
                                        "cord other");
                                assertEquals(0, local.waiting());
                            })
                    .await();
        }
        assertTrue(wrong.isEmpty(), wrong::toString);
    }

    // ---------------------------------------------------------------- random

    @ParameterizedTest
    @EnumSource
    void F5_noSignalIsLostOrMade(Form form) {
        TestCord.run(() -> dayOnOneCord(form, 1, 20));
        for (long seed = 0; seed < 30; seed++) {
            long own = seed;
            TestCord.run(seed, true, () -> dayOnOneCord(form, own, 10));
        }
    }

    @Test
    void F8_noSignalIsLostOrMadeAcrossCordsAndThreads() {
        dayEverywhere(1, 300);
    }

    @Test
    @Tag("stress")
    void F8_noSignalIsLostOrMadeUnderStress() {
        for (long seed = 2; seed < 12; seed++) {
            dayEverywhere(seed, 2_000);
        }
    }

    private static void dayOnOneCord(Form form, long seed, int rounds) {
        Tokens tokens = new Tokens(events(form));
        Crowd.onThisCord(seed, rounds, tokens::step);
        tokens.judge();
    }

    private static void dayEverywhere(long seed, int rounds) {
        Tokens tokens = new Tokens(events(Form.SHARED));
        Crowd.everywhere(seed, rounds, tokens::step);
        tokens.judge();
    }

    /**
     * Each event is signalled at first; who took its signal has its token, and signals it again.
     */
    private static final class Tokens {
        private final List<Event> events;
        private final IdentityHashMap<Event, AtomicInteger> holders = new IdentityHashMap<>();

        Tokens(List<Event> events) {
            this.events = events;
            for (Event each : events) {
                holders.put(each, new AtomicInteger());
                each.signal();
            }
        }

        void step(SplittableRandom random) {
            Event taken = take(random);
            if (taken != null) {
                AtomicInteger held = holders.get(taken);
                try {
                    assertEquals(1, held == null ? 0 : held.incrementAndGet(), "holders");
                    Crowd.giveWay(random);
                } finally {
                    if (held != null) {
                        held.decrementAndGet();
                    }
                    taken.signal();
                }
            }
        }

        private @Nullable Event take(SplittableRandom random) {
            Event one = events.get(random.nextInt(EVENTS));
            List<Event> some = new ArrayList<>(events);
            some.remove(random.nextInt(EVENTS));
            return switch (random.nextInt(6)) {
                case 0 -> one.await(Crowd.shortLimit(random)) ? one : null;
                case 1 -> {
                    one.await();
                    yield one;
                }
                case 2 -> Event.awaitAny(some, Crowd.shortLimit(random));
                case 3 -> Event.awaitAny(List.of(some.get(1), some.get(0)));
                default -> Event.awaitAny(events);
            };
        }

        void judge() {
            for (Event each : events) {
                each.checkInvariants();
                assertEquals(0, each.waiting());
                assertTrue(each.isSignalled());
            }
        }
    }
}
