package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Rule F5 with many: waiters that gave up are not heaped up in the channel. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ManyLeaversTest {
    private static final int MANY = 10_000;
    private static final long SEED = 11;

    static Stream<Named<Supplier<Channel<Integer>>>> channels() {
        return Stream.of(
                Named.of("local rendezvous", Channel::localRendezvous),
                Named.of("local buffered", () -> Channel.localBuffered(1)),
                Named.of("shared rendezvous", Channel::rendezvous),
                Named.of("shared buffered", () -> Channel.buffered(1)));
    }

    @ParameterizedTest
    @MethodSource("channels")
    void F5_timedOutReceiversLeaveNothing(Supplier<Channel<Integer>> maker) {
        TestCord.run(
                SEED,
                true,
                () -> {
                    Channel<Integer> channel = maker.get();
                    List<Fiber<Boolean>> receivers = new ArrayList<>();
                    for (int i = 0; i < MANY; i++) {
                        Duration limit = Duration.ofNanos(10 + i * 7919L % 1_000);
                        receivers.add(Fiber.spin(() -> channel.receive(limit) == null));
                    }
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals(MANY, Inside.waiting(channel));
                    for (Fiber<Boolean> receiver : receivers) {
                        assertEquals(true, receiver.await());
                    }
                    assertEquals(0, Inside.waiting(channel));
                });
    }

    @ParameterizedTest
    @MethodSource("channels")
    void F5_timedOutAndTerminatedSendersLeaveNothing(Supplier<Channel<Integer>> maker) {
        TestCord.run(
                SEED,
                true,
                () -> {
                    Channel<Integer> channel = maker.get();
                    boolean filled = channel.trySend(-1) == SendResult.SENT;
                    List<Fiber<Boolean>> senders = new ArrayList<>();
                    for (int i = 0; i < MANY; i++) {
                        int element = i;
                        Duration limit = Duration.ofNanos(10 + i * 7919L % 1_000);
                        senders.add(Fiber.spin(() -> channel.send(element, limit)));
                    }
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals(MANY, Inside.waiting(channel));
                    for (int i = 0; i < MANY; i += 2) {
                        senders.get(i).terminate();
                    }
                    for (int i = 1; i < MANY; i += 2) {
                        assertFalse(senders.get(i).await());
                    }
                    assertEquals(0, Inside.waiting(channel));
                    assertEquals(filled ? -1 : null, channel.tryReceive());
                    assertNull(channel.tryReceive());
                });
    }

    @Test
    void F5_timedOutThreadLeavesNothing() {
        Channel<Integer> channel = Channel.rendezvous();
        for (int i = 0; i < MANY; i++) {
            assertNull(channel.receive(Duration.ofNanos(i % 2)));
            assertFalse(channel.send(i, Duration.ofNanos(i % 2)));
        }
        assertEquals(0, Inside.waiting(channel));
    }
}
