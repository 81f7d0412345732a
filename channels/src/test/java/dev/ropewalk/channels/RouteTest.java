package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.RealCords.Reports;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** Rule F8: routes of messages through several cords. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class RouteTest {
    private final Reports reports = new Reports();
    private final Cord first = RealCords.started("first", reports);
    private final Cord second = RealCords.started("second", reports);
    private final Cord third = RealCords.started("third", reports);
    private final List<Object> arrived = new CopyOnWriteArrayList<>();
    private final List<Undelivered<Integer>> undelivered = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        first.close();
        second.close();
        third.close();
        reports.assertNone();
    }

    /** Adds one at each of the first two hops. */
    private Route<Integer> adding() {
        return Route.from(first, (Integer n) -> n + 1)
                .then(second, n -> n + 1)
                .to(third, arrived::add)
                .withUndelivered(undelivered::add);
    }

    private void until(int messages) {
        RealCords.until(() -> arrived.size() + undelivered.size() == messages);
    }

    @Test
    void F8_eachHopRunsOnItsCordAsNoFiber() {
        List<@Nullable Object> seen = new CopyOnWriteArrayList<>();
        Route<String> route =
                Route.from(first, (String text) -> text + note(seen))
                        .then(second, text -> text.length() + note(seen).length())
                        .to(
                                third,
                                length -> {
                                    arrived.add(length);
                                    note(seen);
                                });
        assertEquals("route first -> second -> third", route.toString());
        route.send("sent");
        RealCords.until(() -> seen.size() == 6);
        assertEquals(List.of(4), arrived);
        assertSame(first, seen.get(0));
        assertSame(second, seen.get(2));
        assertSame(third, seen.get(4));
        assertNull(seen.get(1));
        assertNull(seen.get(3));
        assertNull(seen.get(5));
    }

    /** The empty text. */
    private static String note(List<@Nullable Object> seen) {
        seen.add(Cord.current());
        seen.add(Fiber.currentOrNull());
        return "";
    }

    @Test
    void F8_messagesOfASenderArriveInOrder() {
        Route<Integer> route = adding();
        for (int i = 0; i < 10_000; i++) {
            route.send(i);
        }
        until(10_000);
        assertEquals(IntStream.range(2, 10_002).boxed().toList(), arrived);
    }

    @Test
    void F8_fiberOfAHopsOwnCordSends() {
        Route<Integer> route = adding();
        first.spin("sender", () -> IntStream.range(0, 1_000).boxed().forEach(route::send)).await();
        until(1_000);
        assertEquals(IntStream.range(2, 1_002).boxed().toList(), arrived);
    }

    @Test
    void F8_routeWithinOneCordOnAVirtualClock() {
        TestCord.run(
                () -> {
                    List<Integer> here = new ArrayList<>();
                    Cord cord = Cord.current();
                    Route<Integer> route =
                            Route.from(cord, (Integer n) -> n + 1).to(cord, here::add);
                    route.send(1);
                    route.send(2);
                    assertEquals(List.of(), here);
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals(List.of(2, 3), here);
                });
    }

    /** No message of another sender gets between them, and none is posted. */
    @Test
    void F8_hopsInARowOnOneCordRunAtOnce() {
        Route<Integer> route =
                Route.from(first, (Integer n) -> note(n))
                        .then(first, n -> note(10 * n))
                        .to(first, n -> note(10 * n));
        CountDownLatch bothSent = new CountDownLatch(1);
        first.spin("keeps them together", () -> RealCords.await(bothSent));
        route.send(1);
        route.send(2);
        bothSent.countDown();
        until(6);
        assertEquals(List.of(1, 10, 100, 2, 20, 200), arrived);
    }

    private int note(int n) {
        arrived.add(n);
        return n;
    }

    @Test
    void F8_failureInAHopGoesToTheHookAndTheNextMessageGoesOn() {
        IllegalStateException boom = new IllegalStateException("boom");
        List<@Nullable Object> hookRanOn = new CopyOnWriteArrayList<>();
        Route<Integer> route =
                Route.from(first, (Integer n) -> 10 * n)
                        .then(
                                second,
                                n -> {
                                    if (n == 10) {
                                        throw boom;
                                    }
                                    return n;
                                })
                        .to(third, arrived::add)
                        .withUndelivered(
                                end -> {
                                    note(hookRanOn);
                                    undelivered.add(end);
                                });
        route.send(1);
        route.send(2);
        until(2);
        assertEquals(List.of(20), arrived);
        assertEquals(List.of(new Undelivered<>(1, 10, 2, second, boom)), undelivered);
        assertSame(second, hookRanOn.getFirst());
        assertNull(hookRanOn.getLast());
    }

    @Test
    void F8_errorsAndTheLastHopsFailuresAreToldToo() {
        Error boom = new AssertionError("boom");
        Route<Integer> route =
                Route.to(
                                first,
                                (Integer n) -> {
                                    throw boom;
                                })
                        .withUndelivered(undelivered::add);
        route.send(1);
        until(1);
        assertEquals(List.of(new Undelivered<>(1, 1, 1, first, boom)), undelivered);
    }

    @Test
    void F8_hookThatThrowsHarmsNobody() {
        Route<Integer> route =
                Route.from(first, (Integer n) -> 10 / n)
                        .to(second, arrived::add)
                        .withUndelivered(
                                end -> {
                                    undelivered.add(end);
                                    throw new IllegalStateException("broken hook");
                                });
        route.send(0);
        route.send(5);
        until(2);
        assertEquals(List.of(2), arrived);
        assertInstanceOf(ArithmeticException.class, undelivered.getFirst().cause());
        second.close();
        route.send(1);
        until(3);
        assertEquals("alive", RealCords.onCord(first, () -> "alive"));
    }

    @Test
    void F8_withoutAHookItIsLoggedAndTheCordGoesOn() {
        Route<Integer> route = Route.from(first, (Integer n) -> 10 / n).to(second, arrived::add);
        route.send(0);
        route.send(5);
        until(1);
        assertEquals(List.of(2), arrived);
    }

    @Test
    void F8_cordThatHasEndedIsToldAtEveryHop() {
        Route<Integer> route = adding();
        int hop = 3;
        for (Cord closed : List.of(third, second, first)) {
            closed.close();
            route.send(hop);
            until(4 - hop);
            Undelivered<Integer> last = undelivered.getLast();
            assertEquals(hop, last.hop());
            assertSame(closed, last.cord());
            assertEquals(hop, last.sent());
            assertEquals(2 * hop - 1, last.message());
            assertInstanceOf(CordClosedException.class, last.cause());
            assertTrue(last.cause().toString().contains("hop " + hop + " of route first -> "));
            hop--;
        }
        assertEquals(List.of(), arrived);
    }

    /** What is in the inbox when a cord ends comes back in the order in which it was sent. */
    @Test
    void F8_messagesThatFindTheirCordEndedAreToldInOrder() {
        for (int round = 0; round < 20; round++) {
            arrived.clear();
            undelivered.clear();
            Cord closing = RealCords.started("closing", reports);
            Route<Integer> route =
                    Route.to(closing, (Integer n) -> arrived.add(n))
                            .withUndelivered(undelivered::add);
            CountDownLatch some = new CountDownLatch(100);
            Thread sender =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 5_000; i++) {
                                            route.send(i);
                                            some.countDown();
                                        }
                                    });
            RealCords.await(some);
            closing.close();
            until(5_000);
            RealCords.until(() -> !sender.isAlive());
            List<Object> all = new ArrayList<>(arrived);
            undelivered.forEach(end -> all.add(end.sent()));
            assertEquals(IntStream.range(0, 5_000).boxed().toList(), all);
        }
    }

    /** Who comes while another one is told waits for nobody, and is told after it. */
    @Test
    void F8_refusedMessagesAreToldOneAfterTheOther() {
        first.close();
        CountDownLatch isTold = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Route<Integer> route =
                Route.to(first, (Integer n) -> arrived.add(n))
                        .withUndelivered(
                                end -> {
                                    if (end.sent() == 1) {
                                        isTold.countDown();
                                        RealCords.await(go);
                                    }
                                    undelivered.add(end);
                                });
        Thread sender = Thread.ofPlatform().start(() -> route.send(1));
        RealCords.await(isTold);
        route.send(2);
        route.send(3);
        assertEquals(List.of(), undelivered);
        go.countDown();
        until(3);
        assertEquals(List.of(1, 2, 3), undelivered.stream().map(Undelivered::sent).toList());
        RealCords.until(() -> !sender.isAlive());
    }

    // ---------------------------------------------------------------- misuse

    /** It would be told of it, and send it again, for ever. */
    @Test
    void misuse_hookThatSendsIntoTheEndedCordAgainIsStopped() {
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        List<Route<Integer>> again = new ArrayList<>();
        Route<Integer> route =
                Route.to(first, (Integer n) -> arrived.add(n))
                        .withUndelivered(
                                end -> {
                                    undelivered.add(end);
                                    Route<Integer> same = again.getFirst();
                                    thrown.add(RealCords.failureOf(() -> same.send(end.sent())));
                                });
        again.add(route);
        first.close();
        route.send(1);
        route.send(2);
        assertEquals(List.of(1, 2), undelivered.stream().map(Undelivered::sent).toList());
        assertInstanceOf(IllegalStateException.class, thrown.getFirst());
        assertTrue(thrown.getFirst().toString().contains("cord first has ended"));
    }

    /** A failure of the hop itself may pass: another try is the hook's business. */
    @Test
    void F8_hookMaySendAgainWhileTheCordLives() {
        List<Route<Integer>> again = new ArrayList<>();
        Route<Integer> route =
                Route.from(first, (Integer n) -> 10 / n)
                        .to(second, arrived::add)
                        .withUndelivered(end -> again.getFirst().send(end.sent() + 1));
        again.add(route);
        route.send(0);
        until(1);
        assertEquals(List.of(10), arrived);
    }

    @Test
    void misuse_nullFromAHopIsAFailureThatSaysSo() {
        Route<Integer> route =
                Route.from(first, (Integer n) -> nothing())
                        .to(second, arrived::add)
                        .withUndelivered(undelivered::add);
        route.send(1);
        until(1);
        String message = String.valueOf(undelivered.getFirst().cause().getMessage());
        assertTrue(message.contains("hop 1 of route first -> second returned null"), message);
    }

    @SuppressWarnings("NullAway") // the mistake
    private static Integer nothing() {
        return null;
    }

    @Test
    void misuse_switchpointInAHopIsAFailure() {
        Route<Integer> route =
                Route.to(first, (Integer n) -> Fiber.snooze()).withUndelivered(undelivered::add);
        route.send(1);
        until(1);
        assertInstanceOf(IllegalStateException.class, undelivered.getFirst().cause());
        assertEquals("alive", RealCords.onCord(first, () -> "alive"));
    }

    @Test
    @SuppressWarnings("NullAway") // the mistake
    void misuse_nullsAreRefusedWhereTheyAreGiven() {
        assertThrows(NullPointerException.class, () -> adding().send(null));
        assertThrows(NullPointerException.class, () -> adding().withUndelivered(null));
        assertThrows(NullPointerException.class, () -> Route.to(null, arrived::add));
        assertThrows(NullPointerException.class, () -> Route.to(first, null));
        assertThrows(
                NullPointerException.class, () -> Route.from(null, (Integer n) -> n.hashCode()));
        assertThrows(NullPointerException.class, () -> Route.from(first, null));
    }

    @Test
    void F8_beginningsAreImmutable() {
        Route.Leg<Integer, Integer> start = Route.from(first, (Integer n) -> n + 1);
        Route<Integer> one = start.to(second, n -> arrived.add("one " + n));
        Route<Integer> two = start.to(third, n -> arrived.add("two " + n));
        one.send(1);
        until(1);
        two.send(1);
        until(2);
        assertEquals(List.of("one 2", "two 2"), arrived);
        assertEquals("route first -> second", Objects.toString(one));
    }

    @Test
    void misuse_aHookThatWaitsIsAnErrorAndJamsNothing() {
        Cord ended = Cord.start("ended");
        ended.close();
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Route<Integer> route =
                Route.<Integer>to(ended, _ -> {})
                        .withUndelivered(_ -> thrown.add(RealCords.failureOf(Fiber::snooze)));
        Cord.run(
                () -> {
                    Fiber.spin("other", () -> Fiber.snooze());
                    route.send(1);
                    route.send(2);
                });
        assertEquals(2, thrown.size());
        assertTrue(thrown.getFirst().toString().contains("no fiber runs"), thrown::toString);
    }

    @Test
    void routes() {
        List<String> lines = new CopyOnWriteArrayList<>();
        Cord parser = Cord.start("parser");
        Cord writer = Cord.start("writer");
        // @start region="route"
        Route<String> route =
                Route.from(parser, (String text) -> Integer.parseInt(text))
                        .to(writer, number -> lines.add("number " + number))
                        .withUndelivered(
                                end -> lines.add(end.sent() + " failed at hop " + end.hop()));
        route.send("42");
        route.send("forty-two");
        // @end
        RealCords.until(() -> lines.size() == 2);
        assertTrue(lines.contains("number 42"));
        assertTrue(lines.contains("forty-two failed at hop 1"));
        parser.close();
        writer.close();
    }
}
