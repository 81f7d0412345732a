package dev.ropewalk.channels.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ChannelSnapshot;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.channels.ReceiveResult;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule C4: exactly one alternative takes effect, the others take and give nothing. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SelectTest {
    private static final Duration LONG = Duration.ofDays(1);

    /** Which channels stand in a select. */
    enum Form {
        LOCAL,
        SHARED,
        MIXED;

        private static int made;

        private <E> Channel<E> of(ChannelOptions<E> options) {
            boolean isLocal = this == LOCAL || (this == MIXED && made++ % 2 == 0);
            return Channel.make(isLocal ? options.onThisCord() : options);
        }

        <E> Channel<E> rendezvous() {
            return of(ChannelOptions.<E>rendezvous());
        }

        <E> Channel<E> buffered(int capacity) {
            return of(ChannelOptions.<E>buffered(capacity));
        }
    }

    private static int waiting(Channel<?> channel) {
        ChannelSnapshot now = channel.snapshot();
        return now.waitingSenders() + now.waitingReceivers();
    }

    private static void untilAllWait() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    // ---------------------------------------------------------------- one takes effect

    @ParameterizedTest
    @EnumSource
    void C4_readyOneIsTakenAndTheOthersAreNotTouched(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> empty = form.buffered(1);
                    Channel<Integer> ready = form.buffered(2);
                    Channel<Integer> full = form.buffered(1);
                    ready.send(7);
                    full.send(1);
                    String what =
                            Select.<String>of(
                                            empty.onReceive(i -> "empty " + i),
                                            ready.onReceive(i -> "ready " + i),
                                            full.onSend(9, () -> "full"))
                                    .await();
                    assertEquals("ready 7", what);
                    assertEquals(List.of(), ready.drain());
                    assertEquals(List.of(1), full.drain());
                    assertEquals(0, waiting(empty) + waiting(ready) + waiting(full));
                });
    }

    @ParameterizedTest
    @EnumSource
    void C4_waitsForTheFirstAndLeavesAllOthers(Form form) {
        TestCord.run(
                () -> {
                    for (int winner = 0; winner < 4; winner++) {
                        Channel<Integer> a = form.rendezvous();
                        Channel<Integer> b = form.buffered(1);
                        Channel<Integer> c = form.rendezvous();
                        Channel<Integer> d = form.buffered(1);
                        d.send(0);
                        Fiber<String> selecting =
                                Fiber.spin(
                                        () ->
                                                Select.<String>of(
                                                                a.onReceive(i -> "a" + i),
                                                                b.onReceive(i -> "b" + i),
                                                                c.onSend(3, () -> "c"),
                                                                d.onSend(4, () -> "d"))
                                                        .await());
                        untilAllWait();
                        assertEquals(4, waiting(a) + waiting(b) + waiting(c) + waiting(d));
                        switch (winner) {
                            case 0 -> a.send(1);
                            case 1 -> b.send(2);
                            case 2 -> assertEquals(3, c.receive());
                            default -> assertEquals(0, d.receive());
                        }
                        assertEquals(List.of("a1", "b2", "c", "d").get(winner), selecting.await());
                        assertEquals(0, waiting(a) + waiting(b) + waiting(c) + waiting(d));
                        assertEquals(
                                winner == 3 ? List.of(4) : winner < 3 ? List.of(0) : null,
                                d.drain());
                        assertEquals(List.of(), b.drain());
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void C4_givenTwiceInOneTurnTakesOne(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> a = form.buffered(1);
                    Channel<Integer> b = form.buffered(1);
                    Fiber<Integer> selecting =
                            Fiber.spin(
                                    () ->
                                            Select.<Integer>of(
                                                            a.onReceive(i -> i),
                                                            b.onReceive(i -> i))
                                                    .await());
                    untilAllWait();
                    a.send(1);
                    b.send(2);
                    assertEquals(1, selecting.await());
                    assertEquals(List.of(2), b.drain());
                });
    }

    @Test
    void C4_sendClausesOfOverflowingKindsDisplaceAndDrop() {
        TestCord.run(
                () -> {
                    List<Integer> lost = new ArrayList<>();
                    Channel<Integer> sliding =
                            Channel.make(ChannelOptions.sliding(1).withUndelivered(lost::add));
                    Channel<Integer> dropping =
                            Channel.make(ChannelOptions.dropping(1).withUndelivered(lost::add));
                    sliding.send(1);
                    dropping.send(1);
                    assertEquals("sent", Select.of(sliding.onSend(2, () -> "sent")).await());
                    assertEquals(List.of(1), lost);
                    assertEquals("sent", Select.of(dropping.onSend(2, () -> "sent")).await());
                    assertEquals(List.of(1, 2), lost, "the caller is not told");
                    assertEquals(
                            SendResult.DROPPED,
                            Select.<SendResult>of(dropping.onSendResult(3, r -> r)).await());
                    assertEquals(List.of(1, 2), lost, "the caller keeps it");
                    assertEquals(List.of(2), sliding.drain());
                    assertEquals(List.of(1), dropping.drain());
                });
    }

    // ---------------------------------------------------------------- closed

    @ParameterizedTest
    @EnumSource
    void C4_closedChannelIsReady(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> closed = form.rendezvous();
                    Channel<Integer> open = form.rendezvous();
                    IllegalStateException cause = new IllegalStateException("why");
                    closed.close(cause);
                    ChannelClosedException received =
                            assertThrows(
                                    ChannelClosedException.class,
                                    () ->
                                            Select.<Object>of(
                                                            open.onReceive(i -> i),
                                                            closed.onReceive(i -> i))
                                                    .await());
                    assertSame(cause, received.getCause());
                    ChannelClosedException sent =
                            assertThrows(
                                    ChannelClosedException.class,
                                    () -> Select.of(closed.onSend(5, () -> "sent")).await());
                    assertEquals(5, sent.element().orElseThrow());
                    assertEquals(
                            new ReceiveResult.Closed<Integer>(cause),
                            Select.<Object>of(closed.onReceiveResult(r -> r)).await());
                    assertEquals(
                            SendResult.CLOSED,
                            Select.<Object>of(closed.onSendResult(5, r -> r)).await());
                });
    }

    @ParameterizedTest
    @EnumSource
    void C4_closeEndsAWaitAsAValue(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> a = form.rendezvous();
                    Channel<Integer> b = form.rendezvous();
                    Fiber<Object> selecting =
                            Fiber.spin(
                                    () ->
                                            Select.<Object>of(
                                                            a.onReceiveResult(r -> r),
                                                            b.onSendResult(1, r -> r))
                                                    .await());
                    untilAllWait();
                    b.close();
                    assertEquals(SendResult.CLOSED, selecting.await());
                    assertEquals(0, waiting(a));
                });
    }

    // ---------------------------------------------------------------- limit, default, disabled

    @ParameterizedTest
    @EnumSource
    void C4_limitEndsTheWaitAndTakesNothing(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = form.rendezvous();
                    long startNs = Cord.current().nanoTime();
                    String what =
                            Select.<String>of(
                                            Select.after(LONG.multipliedBy(2), () -> "later"),
                                            channel.onReceive(i -> "received"),
                                            Select.after(LONG, () -> "silence"))
                                    .await();
                    assertEquals("silence", what);
                    assertEquals(LONG.toNanos(), Cord.current().nanoTime() - startNs);
                    assertEquals(0, waiting(channel));
                });
    }

    @ParameterizedTest
    @EnumSource
    void C4_defaultIsTakenOnlyIfNoneIsReady(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = form.buffered(1);
                    Select<String> select =
                            Select.of(
                                    Select.otherwise(() -> "none"),
                                    Select.after(LONG, () -> "silence"),
                                    channel.onReceive(i -> "got " + i));
                    assertEquals("none", select.await());
                    channel.send(1);
                    assertEquals("got 1", select.await());
                    assertEquals("none", select.await());
                    assertEquals(0, waiting(channel));
                });
    }

    @Test
    void C4_defaultIsASwitchpoint() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localRendezvous();
                    Select<Integer> polled =
                            Select.of(channel.onReceive(i -> i), Select.otherwise(() -> 0));
                    assertThrows(
                            FiberTimeoutException.class,
                            () ->
                                    CancelScope.cancelAfter(
                                            Duration.ofMillis(1),
                                            () -> {
                                                while (polled.await() == 0) {
                                                    Fiber.sleep(Duration.ofMillis(2));
                                                }
                                            }));
                });
    }

    @ParameterizedTest
    @EnumSource
    void C4_disabledClauseIsNeverTaken(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> a = form.buffered(1);
                    Channel<Integer> b = form.buffered(1);
                    a.send(1);
                    b.send(2);
                    for (int i = 0; i < 50; i++) {
                        Channel<Integer> on = i % 2 == 0 ? a : b;
                        int got =
                                Select.<Integer>of(
                                                a.<Integer>onReceive(x -> x).onlyIf(on == a),
                                                b.<Integer>onReceive(x -> x).onlyIf(on == b))
                                        .await();
                        assertEquals(on == a ? 1 : 2, got);
                        on.send(got);
                    }
                    IllegalStateException e =
                            assertThrows(
                                    IllegalStateException.class,
                                    () -> Select.of(a.onReceive(x -> x).onlyIf(false)).await());
                    Errors.assertMentions(e, "disabled");
                    assertEquals(
                            "none",
                            Select.<Object>of(
                                            a.onReceive(x -> x).onlyIf(false),
                                            Select.otherwise(() -> "none"))
                                    .await());
                });
    }

    // ---------------------------------------------------------------- the order

    @Test
    void C4_ofSeveralThatAreReadyEachIsAsLikely() {
        TestCord.run(
                42,
                true,
                () -> {
                    int rounds = 8_000;
                    List<Channel<Integer>> channels = new ArrayList<>();
                    List<Clause<Integer>> clauses = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        int number = i;
                        Channel<Integer> channel = Channel.localBuffered(1);
                        channel.send(i);
                        channels.add(channel);
                        clauses.add(channel.onReceive(x -> number));
                        clauses.add(Channel.<Integer>localRendezvous().onReceive(x -> -1));
                    }
                    Select<Integer> select = Select.of(clauses);
                    int[] counts = new int[4];
                    for (int i = 0; i < rounds; i++) {
                        int number = select.await();
                        counts[number]++;
                        channels.get(number).send(number);
                    }
                    for (int count : counts) {
                        assertEquals(
                                rounds / 4.0,
                                count,
                                250,
                                () -> List.of(counts[0], counts[1], counts[2], counts[3]) + "");
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void C4_byPriorityTheFirstThatIsReadyIsTaken(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> first = form.buffered(3);
                    Channel<Integer> second = form.buffered(3);
                    Select<Integer> select =
                            Select.<Integer>of(first.onReceive(i -> i), second.onReceive(i -> i))
                                    .byPriority();
                    for (int i = 0; i < 3; i++) {
                        second.send(10 + i);
                        first.send(i);
                    }
                    List<Integer> got = new ArrayList<>();
                    for (int i = 0; i < 6; i++) {
                        got.add(select.await());
                    }
                    assertEquals(List.of(0, 1, 2, 10, 11, 12), got);
                });
    }

    // ---------------------------------------------------------------- the same channel twice

    @ParameterizedTest
    @EnumSource
    void C4_sameChannelTwice(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = form.rendezvous();
                    Fiber<String> selecting =
                            Fiber.spin(
                                    () ->
                                            Select.<String>of(
                                                            channel.onReceive(i -> "first " + i),
                                                            channel.onReceive(i -> "second " + i))
                                                    .await());
                    untilAllWait();
                    channel.send(1);
                    assertTrue(selecting.await().endsWith(" 1"));
                    assertEquals(0, waiting(channel));
                });
    }

    @ParameterizedTest
    @EnumSource
    void C4_senderAndReceiverOfOneChannelNeverMeetThemselvesButEachOther(Form form) {
        TestCord.run(
                () -> {
                    Channel<String> channel = form.rendezvous();
                    Fiber<String> a = Fiber.spin(() -> both(channel, "a").await());
                    untilAllWait();
                    assertEquals(2, waiting(channel), "it stands as both");
                    Fiber<String> b = Fiber.spin(() -> both(channel, "b").await());
                    String ofA = a.await();
                    String ofB = b.await();
                    boolean aSent = ofA.equals("a sent") && ofB.equals("b got a");
                    boolean bSent = ofB.equals("b sent") && ofA.equals("a got b");
                    assertTrue(aSent || bSent, () -> ofA + ", " + ofB);
                    assertEquals(0, waiting(channel));
                });
    }

    private static Select<String> both(Channel<String> channel, String me) {
        return Select.of(
                channel.onSend(me, () -> me + " sent"),
                channel.onReceive(other -> me + " got " + other));
    }

    // ---------------------------------------------------------------- fibers and events

    @Test
    void C4_endOfAFiberIsAnAlternative() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localRendezvous();
                    Fiber<String> worker = Fiber.spin("worker", () -> "done");
                    Select<String> select =
                            Select.of(
                                    channel.onReceive(i -> "received"),
                                    worker.onOutcome(ended -> "worker " + ended.await()));
                    assertEquals("worker done", select.await());
                    assertEquals("worker done", select.await(), "also when it is dead");
                    assertEquals(0, waiting(channel));
                });
    }

    @Test
    void C4_failureOfAChildThatIsSelectedIsTheCallersBusiness() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localRendezvous();
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(Duration.ofMillis(1));
                                        throw new IllegalStateException("broke");
                                    });
                    Throwable failure =
                            Select.<Throwable>of(
                                            channel.onReceive(i -> new Error("no")),
                                            child.onOutcome(
                                                    ended ->
                                                            assertThrows(
                                                                    FiberFailedException.class,
                                                                    ended::await)))
                                    .await();
                    Errors.assertMentions(root(failure), "broke");
                    Fiber.sleep(Duration.ofMillis(1)); // it would be raised here
                });
    }

    @Test
    void C4_failureOfAChildThatLostIsRaisedInItsParent() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localBuffered(1);
                    channel.send(1);
                    FiberFailedException raised =
                            assertThrows(
                                    FiberFailedException.class,
                                    () ->
                                            Fiber.spin(
                                                            () -> {
                                                                Fiber<?> child =
                                                                        Fiber.spin(
                                                                                () -> {
                                                                                    Fiber.sleep(
                                                                                            Duration
                                                                                                    .ofMillis(
                                                                                                            1));
                                                                                    throw new IllegalStateException(
                                                                                            "broke");
                                                                                });
                                                                assertEquals(
                                                                        "received",
                                                                        Select.<String>of(
                                                                                        channel
                                                                                                .onReceive(
                                                                                                        i ->
                                                                                                                "received"),
                                                                                        child
                                                                                                .onOutcome(
                                                                                                        e ->
                                                                                                                "ended"))
                                                                                .await());
                                                                Fiber.sleep(LONG);
                                                            })
                                                    .await());
                    assertEquals("broke", root(raised).getMessage());
                });
    }

    private static Throwable root(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return cause == null ? thrown : root(cause);
    }

    @Test
    void C4_endOfAFiberOfAnotherCordIsAnAlternative() {
        try (Cord other = Cord.start("other")) {
            Cord.run(
                    () -> {
                        Channel<Integer> local = Channel.localRendezvous();
                        for (int i = 0; i < 200; i++) {
                            Fiber<Integer> far = other.spin("far", () -> 5);
                            int got =
                                    Select.<Integer>of(
                                                    local.onReceive(x -> x),
                                                    far.onOutcome(ended -> ended.await() + 1))
                                            .await();
                            assertEquals(6, got);
                        }
                        assertEquals(0, waiting(local));
                    });
        }
    }

    @Test
    void C4_ownEndIsAnError() {
        TestCord.run(
                () -> {
                    Fiber<Object> self =
                            Fiber.spin(
                                    () ->
                                            Select.<Object>of(
                                                            Fiber.current().onOutcome(e -> 1),
                                                            Select.after(LONG, () -> 2))
                                                    .await());
                    FiberFailedException e = assertThrows(FiberFailedException.class, self::await);
                    assertTrue(e.getCause() instanceof DeadlockException, () -> "" + e.getCause());
                });
    }

    @Test
    void C4_eventIsAnAlternative() {
        TestCord.run(
                () -> {
                    Event local = Event.local();
                    Event shared = Event.shared();
                    Channel<Integer> channel = Channel.rendezvous();
                    Select<String> select =
                            Select.of(
                                    local.onSignal(() -> "local"),
                                    shared.onSignal(() -> "shared"),
                                    channel.onReceive(i -> "channel"));
                    Fiber<String> selecting = Fiber.spin(select::await);
                    untilAllWait();
                    shared.signal();
                    assertEquals("shared", selecting.await());
                    local.signal();
                    assertEquals("local", select.await());
                    assertEquals(0, waiting(channel));
                    assertTrue(!local.isSignalled() && !shared.isSignalled());
                });
    }

    // ---------------------------------------------------------------- leaving

    @ParameterizedTest
    @EnumSource
    void F5_terminatedSelectStandsNowhere(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> a = form.rendezvous();
                    Channel<Integer> b = form.rendezvous();
                    Fiber<Object> selecting =
                            Fiber.spin(
                                    () ->
                                            Select.<Object>of(
                                                            a.onReceive(i -> i),
                                                            b.onSend(1, () -> 1))
                                                    .await());
                    untilAllWait();
                    selecting.terminate();
                    assertThrows(FiberTerminatedException.class, selecting::await);
                    assertEquals(0, waiting(a) + waiting(b));
                    assertEquals(SendResult.FULL, a.trySend(1));
                    assertNull(b.tryReceive());
                });
    }

    @ParameterizedTest
    @EnumSource
    void F6_terminatedSelectTakesNothingThatIsReady(Form form) {
        TestCord.run(
                () -> {
                    Channel<Integer> a = form.buffered(1);
                    a.send(1);
                    List<Throwable> thrown = new ArrayList<>();
                    Fiber<?> selecting =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            thrown.add(
                                                    assertThrows(
                                                            Error.class,
                                                            () ->
                                                                    Select.of(a.onReceive(i -> i))
                                                                            .await()));
                                        }
                                    });
                    untilAllWait();
                    selecting.terminate();
                    assertThrows(FiberTerminatedException.class, selecting::await);
                    assertEquals(1, thrown.size());
                    assertEquals(List.of(1), a.drain());
                });
    }

    /** What a fiber that never runs again was given goes to the hook, and it stands nowhere. */
    @ParameterizedTest
    @EnumSource
    void F5_abandonedSelectGivesBackAndStandsNowhere(Form form) {
        TestCord.run(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Channel<Integer> a = form.buffered(1);
                    Channel<Integer> b = form.rendezvous();
                    Fiber<?> stubborn =
                            Fiber.spin(
                                    () -> {
                                        for (; ; ) {
                                            try {
                                                Select.<Object>of(
                                                                a.onReceive(i -> i),
                                                                b.onSend(1, () -> 1))
                                                        .await();
                                            } catch (Error swallowed) {
                                                // It goes on as if nothing had happened.
                                            }
                                        }
                                    });
                    untilAllWait();
                    stubborn.terminate();
                    assertThrows(FiberAbandonedException.class, stubborn::await);
                    assertEquals(0, waiting(a) + waiting(b));
                    assertNull(b.tryReceive());
                });
    }

    // ---------------------------------------------------------------- threads

    @Test
    void C4_plainThreadsSelectToo() throws InterruptedException {
        Channel<Integer> a = Channel.rendezvous();
        Channel<Integer> b = Channel.rendezvous();
        Thread sender = Thread.ofPlatform().daemon().start(() -> b.send(3));
        assertEquals(
                "b 3",
                Select.<String>of(a.onReceive(i -> "a " + i), b.onReceive(i -> "b " + i)).await());
        sender.join();
        assertEquals(
                "silence",
                Select.<String>of(
                                a.onReceive(i -> "a " + i),
                                Select.after(Duration.ofMillis(1), () -> "silence"))
                        .await());
        Thread.currentThread().interrupt();
        assertThrows(
                WaitInterruptedException.class,
                () -> Select.<Object>of(a.onReceive(i -> i), b.onReceive(i -> i)).await());
        assertTrue(Thread.interrupted());
        assertEquals(0, waiting(a) + waiting(b));
    }

    @Test
    void C4_localClauseFromElsewhereNamesBoth() {
        Channel<Integer> local =
                Cord.run(
                        () ->
                                Channel.make(
                                        ChannelOptions.<Integer>buffered(1)
                                                .withName("mine")
                                                .onThisCord()));
        Channel<Integer> shared = Channel.buffered(1);
        shared.send(1);
        WrongThreadException e =
                assertThrows(
                        WrongThreadException.class,
                        () ->
                                Select.<Object>of(shared.onReceive(i -> i), local.onReceive(i -> i))
                                        .await());
        Errors.assertMentions(e, "\"mine\"");
        assertEquals(List.of(1), shared.drain(), "nothing was taken");
    }

    // ---------------------------------------------------------------- mistakes

    @Test
    @SuppressWarnings("NullAway") // passes what callers without checks might pass
    void C4_mistakesAreErrors() {
        IllegalArgumentException none =
                assertThrows(IllegalArgumentException.class, () -> Select.of(List.of()));
        Errors.assertMentions(none, "clauses=[]: ");
        IllegalArgumentException twice =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Select.of(Select.otherwise(() -> 1), Select.otherwise(() -> 2)));
        Errors.assertMentions(twice, "two defaults: ");
        assertThrows(
                IllegalArgumentException.class, () -> Select.after(Duration.ofNanos(-1), () -> 1));
        assertThrows(NullPointerException.class, () -> Select.after(LONG, null));
        assertThrows(NullPointerException.class, () -> Select.otherwise(null));
        NullPointerException missing =
                assertThrows(
                        NullPointerException.class,
                        () -> Select.of((Clause<@Nullable Object>) null));
        Errors.assertMentions(missing, "clause is null; ", "onlyIf(false)");
    }

    @Test
    void C4_functionThatThrowsThrowsFromAwaitAfterTheEffect() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localBuffered(1);
                    channel.send(1);
                    ArithmeticException e =
                            assertThrows(
                                    ArithmeticException.class,
                                    () -> Select.of(channel.onReceive(i -> 1 / (i - 1))).await());
                    assertEquals("/ by zero", e.getMessage());
                    assertEquals(List.of(), channel.drain());
                });
    }

    @Test
    void F9_selectThatNobodyCanEndIsADeadlockAndShowsWhatItWaitsFor() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel =
                            Channel.make(
                                    ChannelOptions.<Integer>rendezvous()
                                            .withName("orders")
                                            .onThisCord());
                    DeadlockException e =
                            assertThrows(
                                    DeadlockException.class,
                                    () ->
                                            Select.<Object>of(
                                                            channel.onReceive(i -> i),
                                                            channel.onSend(1, () -> 1))
                                                    .await());
                    Errors.assertMentions(
                            e, "any of [a receive from local rendezvous channel \"orders\"");
                    assertEquals(0, waiting(channel));
                });
    }

    /**
     * The other clause of the same fiber does not undo that its failure is taken. Ready calls bring
     * the cord's mark nearer: where await meets it, the child fails in the turn that await gives.
     */
    @Test
    void C4_endOfAFiberInTwoClausesIsTakenOnce() {
        for (int round = 0; round < 600; round++) {
            int calls = round / 4;
            TestCord.run(
                    round, // draws the clause
                    false,
                    () -> {
                        Channel<Integer> ready = Channel.buffered(1);
                        for (int i = 0; i < calls; i++) {
                            ready.trySend(i);
                            ready.receive();
                        }
                        Fiber<?> child =
                                Fiber.spin(
                                        "child",
                                        () -> {
                                            throw new IllegalStateException("broke");
                                        });
                        Select.of(child.onOutcome(_ -> "one"), child.onOutcome(_ -> "other"))
                                .await();
                        Fiber.sleep(Duration.ofNanos(1)); // it would be raised here
                    });
        }
    }
}
