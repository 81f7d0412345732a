package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Rule C2: first come, first served, in both queues. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitingOrderTest {
    private static final int MANY = 7;

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C2_fifoAmongWaitingSenders(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    List<Player<Boolean>> senders = new ArrayList<>();
                    for (int i = 0; i < MANY; i++) {
                        senders.add(arena.waitingSender(channel, arena.capacity() + i));
                    }
                    for (int i = 0; i < arena.capacity() + MANY; i++) {
                        assertEquals(i, channel.receive());
                    }
                    for (Player<Boolean> sender : senders) {
                        assertTrue(sender.await());
                    }
                    assertNull(channel.tryReceive());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C2_fifoAmongWaitingReceivers(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    List<Player<Integer>> receivers = new ArrayList<>();
                    for (int i = 0; i < MANY; i++) {
                        receivers.add(arena.waitingReceiver(channel));
                    }
                    for (int i = 0; i < MANY; i++) {
                        channel.send(i);
                    }
                    for (int i = 0; i < MANY; i++) {
                        assertEquals(i, receivers.get(i).await());
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C2_sendToAWaitingReceiverLeavesTheBufferAlone(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver = arena.waitingReceiver(channel);
                    channel.send(-1);
                    // The receiver need not have run: there is room for all of them already.
                    arena.fill(channel);
                    assertEquals(SendResult.FULL, channel.trySend(-2));
                    arena.drainFilled(channel);
                    assertEquals(-1, receiver.await());
                });
    }

    /** What was given to a waiting receiver is not to be had for one that comes later. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C2_lateReceiverDoesNotOvertake(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver = arena.waitingReceiver(channel);
                    assertEquals(SendResult.SENT, channel.trySend(1));
                    assertNull(channel.tryReceive());
                    assertEquals(1, receiver.await());
                });
    }

    /** Room that a receiver makes belongs to the sender that waits, not to one that comes later. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#buffered")
    void C2_lateSenderDoesNotOvertake(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    Player<Boolean> sender = arena.waitingSender(channel, arena.capacity());
                    assertEquals(0, channel.receive());
                    assertEquals(SendResult.FULL, channel.trySend(-1));
                    for (int i = 1; i <= arena.capacity(); i++) {
                        assertEquals(i, channel.receive());
                    }
                    assertTrue(sender.await());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C2_whoLeavesKeepsTheOrderOfTheOthers(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    for (int leaver = 0; leaver < 3; leaver++) {
                        Channel<Integer> channel = arena.channel();
                        List<Player<Integer>> receivers = new ArrayList<>();
                        for (int i = 0; i < 3; i++) {
                            receivers.add(arena.waitingReceiver(channel));
                        }
                        Player<Integer> left = receivers.remove(leaver);
                        left.terminate();
                        left.awaitTerminated();
                        assertEquals(2, Inside.waiting(channel));
                        for (int i = 0; i < 2; i++) {
                            channel.send(i);
                        }
                        for (int i = 0; i < 2; i++) {
                            assertEquals(i, receivers.get(i).await());
                        }
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C2_oneSenderAndOneReceiverKeepTheOrder(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<List<Integer>> receiver =
                            arena.receiver(
                                    () -> {
                                        List<Integer> all = new ArrayList<>();
                                        channel.forEach(all::add);
                                        return all;
                                    });
                    Player<Boolean> sender =
                            arena.sender(
                                    () -> {
                                        for (int i = 0; i < 500; i++) {
                                            channel.send(i);
                                        }
                                        channel.close();
                                        return true;
                                    });
                    assertTrue(sender.await());
                    assertEquals(IntStream.range(0, 500).boxed().toList(), receiver.await());
                });
    }
}
