package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rule F5: who leaves a wait takes and gives nothing, and what was decided before it stands. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LeavingTest {
    private static final Duration SHORT = Duration.ofMillis(2);

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void F5_terminatedReceiverEatsNoElement(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> gone = arena.waitingReceiver(channel);
                    gone.terminate();
                    gone.awaitTerminated();
                    assertEquals(0, Inside.waiting(channel));
                    if (arena.capacity() == 0) {
                        assertEquals(SendResult.FULL, channel.trySend(1));
                    }
                    Player<Boolean> sender = sends(arena, channel, 1);
                    assertEquals(1, channel.receive());
                    assertTrue(sender.await());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void F5_timedOutReceiverEatsNoElement(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Boolean> gone = arena.receiver(() -> channel.receive(SHORT) == null);
                    assertTrue(gone.await());
                    assertEquals(0, Inside.waiting(channel));
                    Player<Boolean> sender = sends(arena, channel, 1);
                    assertEquals(1, channel.receive());
                    assertTrue(sender.await());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void F5_terminatedSenderGaveNothing(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    Player<Boolean> gone = arena.waitingSender(channel, -1);
                    Player<Boolean> stays = arena.waitingSender(channel, arena.capacity());
                    gone.terminate();
                    gone.awaitTerminated();
                    assertEquals(1, Inside.waiting(channel));
                    for (int i = 0; i <= arena.capacity(); i++) {
                        assertEquals(i, channel.receive());
                    }
                    assertTrue(stays.await());
                    assertNull(channel.tryReceive());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void F5_timedOutSenderGaveNothing(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    Player<Boolean> gone = arena.sender(() -> channel.send(-1, SHORT));
                    assertFalse(gone.await());
                    assertEquals(0, Inside.waiting(channel));
                    arena.drainFilled(channel);
                    assertNull(channel.tryReceive());
                });
    }

    /** Whoever comes first: the element is with the receiver or still in the channel. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void F5_terminationBesideASendLosesNothing(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    for (int round = 0; round < 30; round++) {
                        Player<Integer> receiver = arena.waitingReceiver(channel);
                        receiver.terminate();
                        Arena.giveWay(round % 3);
                        int sent = channel.trySend(round) == SendResult.SENT ? 1 : 0;
                        receiver.awaitEnd();
                        assertEquals(sent, count(receiver.result()) + count(channel.tryReceive()));
                        assertEquals(0, Inside.waiting(channel));
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void F5_terminationBesideAReceiveLosesNothing(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    for (int round = 0; round < 30; round++) {
                        Player<Boolean> sender = arena.waitingSender(channel, -1);
                        sender.terminate();
                        Arena.giveWay(round % 3);
                        List<Integer> taken = new ArrayList<>();
                        drain(channel, taken);
                        sender.awaitEnd();
                        drain(channel, taken);
                        int expected = arena.capacity() + count(sender.result());
                        assertEquals(expected, taken.size());
                        arena.fill(channel);
                    }
                });
    }

    /** The time limit and the send fall on the same instant of the virtual clock. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void F5_timeLimitBesideASendLosesNothing(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    for (int round = 0; round < 30; round++) {
                        Fiber<?> waker = Fiber.spin(() -> Fiber.sleep(SHORT));
                        List<Integer> taken = new ArrayList<>();
                        Fiber<?> receiver =
                                Fiber.spin(
                                        () -> {
                                            Integer element = channel.receive(SHORT);
                                            if (element != null) {
                                                taken.add(element);
                                            }
                                        });
                        waker.await();
                        int sent = channel.trySend(round) == SendResult.SENT ? 1 : 0;
                        receiver.await();
                        drain(channel, taken);
                        assertEquals(sent, taken.size());
                        assertEquals(0, Inside.waiting(channel));
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void F4_elementGivenBeforeTheTerminationIsReceived(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver = arena.waitingReceiver(channel);
                    assertEquals(SendResult.SENT, channel.trySend(1));
                    receiver.terminate();
                    receiver.awaitEnd();
                    assertEquals(1, receiver.result());
                    assertNull(channel.tryReceive());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void F4_elementTakenBeforeTheTerminationWasSent(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    Player<Boolean> sender = arena.waitingSender(channel, arena.capacity());
                    assertEquals(0, channel.receive());
                    sender.terminate();
                    sender.awaitEnd();
                    assertEquals(true, sender.result());
                });
    }

    /** A termination that came during a hand-over is thrown at the next switchpoint. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void F4_terminationAfterAGiftStaysPending(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    List<Integer> log = new ArrayList<>();
                    Player<Boolean> receiver =
                            arena.receiver(
                                    () -> {
                                        log.add(channel.receive());
                                        log.add(channel.receive());
                                        return true;
                                    });
                    arena.untilWaiting(1, channel);
                    channel.send(1);
                    receiver.terminate();
                    receiver.awaitTerminated();
                    assertEquals(List.of(1), log);
                    assertEquals(0, Inside.waiting(channel));
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void F4_raiseIntoAWaitTakesNothing(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    IllegalStateException failure = new IllegalStateException("raised");
                    Channel<Integer> channel = arena.channel();
                    List<Throwable> caught = new ArrayList<>();
                    Fiber<Integer> receiver =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            return channel.receive();
                                        } catch (IllegalStateException e) {
                                            caught.add(e);
                                            return channel.receive();
                                        }
                                    });
                    arena.untilWaiting(1, channel);
                    receiver.raise(failure);
                    arena.untilWaiting(1, channel);
                    assertSame(failure, caught.getFirst());
                    channel.send(1);
                    assertEquals(1, receiver.await());
                });
    }

    /** It raises where it would begin to wait, and leaves nothing in the queue. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void F5_whoIsTerminatedBeforeItWaitsLeavesTheQueue(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver =
                            arena.receiver(
                                    () -> {
                                        Fiber.current().terminate();
                                        return channel.receive();
                                    });
                    receiver.awaitTerminated();
                    assertEquals(0, Inside.waiting(channel));
                    arena.fill(channel);
                    Player<Boolean> sender =
                            arena.sender(
                                    () -> {
                                        Fiber.current().terminate();
                                        channel.send(-1);
                                        return true;
                                    });
                    sender.awaitTerminated();
                    assertEquals(0, Inside.waiting(channel));
                    arena.drainFilled(channel);
                    assertNull(channel.tryReceive());
                });
    }

    private static Player<Boolean> sends(Arena arena, Channel<Integer> channel, int element) {
        return arena.sender(
                () -> {
                    channel.send(element);
                    return true;
                });
    }

    private static void drain(Channel<Integer> channel, List<Integer> to) {
        for (Integer each = channel.tryReceive(); each != null; each = channel.tryReceive()) {
            to.add(Objects.requireNonNull(each));
        }
    }

    private static int count(@Nullable Object element) {
        return element == null ? 0 : 1;
    }
}
