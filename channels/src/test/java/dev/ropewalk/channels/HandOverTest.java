package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.WaitInterruptedException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;

/** Rule F8: hand-over between cords and threads. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HandOverTest {
    private static final long SEED = 4;
    private static final int ROUNDS = 2_000;

    /** Plain fields: only the channel orders them. */
    private static final class Parcel {
        int weight;
        @Nullable String label;
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#acrossThreads")
    void F8_whatTheSenderDidHappensBeforeTheReceive(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Parcel> channel = arena.channel();
                    Player<Boolean> sender =
                            arena.sender(
                                    () -> {
                                        for (int i = 0; i < ROUNDS; i++) {
                                            Parcel parcel = new Parcel();
                                            parcel.weight = i;
                                            parcel.label = "parcel " + i;
                                            channel.send(parcel);
                                        }
                                        return true;
                                    });
                    Player<Boolean> receiver =
                            arena.receiver(
                                    () -> {
                                        for (int i = 0; i < ROUNDS; i++) {
                                            Parcel parcel = channel.receive();
                                            assertEquals(i, parcel.weight);
                                            assertEquals("parcel " + i, parcel.label);
                                        }
                                        return true;
                                    });
                    assertTrue(receiver.await());
                    assertTrue(sender.await());
                });
    }

    /** Each hop sleeps and wakes somebody: a lost wake-up would hang it. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#acrossThreads")
    void F8_pingPongLosesNoWakeUp(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> there = arena.channel();
                    Channel<Integer> back = arena.channel();
                    Player<Boolean> ponger =
                            arena.receiver(
                                    () -> {
                                        for (int ball : there) {
                                            back.send(ball + 1);
                                        }
                                        return true;
                                    });
                    Player<Integer> pinger =
                            arena.sender(
                                    () -> {
                                        int ball = 0;
                                        while (ball < ROUNDS) {
                                            there.send(ball);
                                            ball = back.receive();
                                        }
                                        there.close();
                                        return ball;
                                    });
                    assertEquals(ROUNDS, pinger.await());
                    assertTrue(ponger.await());
                });
    }

    /** One of the two wins; the element is where the winner says. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#acrossThreads")
    void F8_timeLimitAgainstGive(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    SplittableRandom random = new SplittableRandom(SEED);
                    SplittableRandom limits = random.split();
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver =
                            arena.receiver(
                                    () -> {
                                        int received = 0;
                                        try {
                                            for (; ; ) {
                                                Duration limit =
                                                        Duration.ofNanos(limits.nextInt(30_000));
                                                if (channel.receive(limit) != null) {
                                                    received++;
                                                }
                                            }
                                        } catch (ChannelClosedException end) {
                                            return received;
                                        }
                                    });
                    int sent = 0;
                    for (int round = 0; round < ROUNDS; round++) {
                        Arena.giveWay(random.nextInt(300));
                        if (channel.trySend(round) == SendResult.SENT) {
                            sent++;
                        }
                    }
                    channel.close();
                    assertEquals(sent, receiver.await(), () -> "seed=" + SEED);
                });
    }

    @Test
    void F8_interruptedThreadTookNothingAndStaysInterrupted() {
        Channel<Integer> channel = Channel.rendezvous();
        Thread.currentThread().interrupt();
        WaitInterruptedException e = assertThrows(WaitInterruptedException.class, channel::receive);
        assertTrue(Thread.interrupted(), "the flag was swallowed");
        Errors.assertMentions(e, channel.toString());
        assertEquals(0, Inside.waiting(channel));
        assertEquals(SendResult.FULL, channel.trySend(1));
    }

    /** Calls that need not wait do not look at the flag, and leave it as it is. */
    @Test
    void F8_interruptDoesNotDisturbCallsThatNeedNotWait() {
        Channel<Integer> channel = Channel.buffered(1);
        Thread.currentThread().interrupt();
        channel.send(1);
        assertEquals(1, channel.receive());
        assertTrue(Thread.interrupted());
    }

    @Test
    void F8_fibersOfAnEndedCordLeaveTheQueues() {
        Channel<Integer> channel = Channel.rendezvous();
        Cord cord = Cord.start("short-lived");
        for (int i = 0; i < 10; i++) {
            cord.spin("receiver", () -> Objects.requireNonNull(channel.receive()));
        }
        cord.spin("yardstick", () -> Fiber.snooze()).await();
        assertFalse(channel.isClosed());
        cord.close();
        assertEquals(0, Inside.waiting(channel));
        assertEquals(SendResult.FULL, channel.trySend(1));
        assertNull(channel.tryReceive());
    }
}
