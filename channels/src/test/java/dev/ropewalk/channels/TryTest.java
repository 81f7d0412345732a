package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Rule C1: trySend and tryReceive never wait and never fail spuriously. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TryTest {
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_trySendFillsTheBufferAndThenSaysFull(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    assertEquals(SendResult.FULL, channel.trySend(-1));
                    arena.drainFilled(channel);
                    assertNull(channel.tryReceive());
                    arena.fill(channel);
                    assertEquals(SendResult.FULL, channel.trySend(-1));
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_trySendReachesAWaitingReceiver(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver = arena.waitingReceiver(channel);
                    assertEquals(SendResult.SENT, channel.trySend(7));
                    assertEquals(7, receiver.await());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_tryReceiveTakesFromAWaitingSender(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    Player<Boolean> sender = arena.waitingSender(channel, arena.capacity());
                    for (int i = 0; i <= arena.capacity(); i++) {
                        assertEquals(i, channel.tryReceive());
                    }
                    assertNull(channel.tryReceive());
                    assertTrue(sender.await());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_tryReceiveOfAnEmptyChannelIsNull(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    assertNull(channel.tryReceive());
                    assertNull(channel.tryReceive());
                });
    }

    /** As many as there is room for are sent from several places at once, then taken likewise. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_tryNeverFailsSpuriously(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    for (int round = 0; round < 20; round++) {
                        List<Player<Integer>> senders = new ArrayList<>();
                        List<Player<Integer>> receivers = new ArrayList<>();
                        int half = arena.capacity() / 2;
                        for (int i = 0; i < 2; i++) {
                            senders.add(arena.sender(() -> trySends(channel, half)));
                        }
                        for (Player<Integer> sender : senders) {
                            assertEquals(half, sender.await());
                        }
                        for (int i = 0; i < 2; i++) {
                            receivers.add(arena.receiver(() -> tryReceives(channel, half)));
                        }
                        for (Player<Integer> receiver : receivers) {
                            assertEquals(half, receiver.await());
                        }
                    }
                });
    }

    private static int trySends(Channel<Integer> channel, int count) {
        int sent = 0;
        for (int i = 0; i < count; i++) {
            if (channel.trySend(i) == SendResult.SENT) {
                sent++;
            }
        }
        return sent;
    }

    private static int tryReceives(Channel<Integer> channel, int count) {
        int received = 0;
        for (int i = 0; i < count; i++) {
            if (channel.tryReceive() != null) {
                received++;
            }
        }
        return received;
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void C1_tryNeverSwitches(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver = arena.waitingReceiver(channel);
                    AtomicBoolean switched = new AtomicBoolean();
                    Fiber.spin(() -> switched.set(true));
                    for (int i = 0; i < 1_000; i++) {
                        channel.trySend(i);
                        channel.tryReceive();
                    }
                    assertTrue(!switched.get(), "another fiber has run");
                    assertEquals(0, receiver.await());
                });
    }

    /** Within its turn a fiber that need not wait goes on; ReadyTest shows that it yields then. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void C1_sendAndReceiveThatNeedNotWaitGoOnWithinTheTurn(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver = arena.waitingReceiver(channel);
                    AtomicBoolean switched = new AtomicBoolean();
                    Fiber.spin(() -> switched.set(true));
                    channel.send(-1);
                    int some = Math.min(arena.capacity(), 20);
                    for (int i = 0; i < some; i++) {
                        channel.send(i);
                    }
                    for (int i = 0; i < some; i++) {
                        assertEquals(i, channel.receive());
                    }
                    assertTrue(!switched.get(), "another fiber has run");
                    assertEquals(-1, receiver.await());
                });
    }
}
