package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rule C1: cancelling by the receiving side, and the undelivered hook. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CancelTest {
    /** Of fewer elements than the times that a fiber may swallow its termination. */
    static Stream<Variant> few() {
        return Variant.buffered().filter(variant -> variant.capacity() < 1_000);
    }

    private static List<Integer> upTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_cancelHandsTheBufferToTheUndeliveredHook(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    List<Integer> undelivered = new ArrayList<>();
                    Channel<Integer> channel = arena.channel(undelivered::add);
                    arena.fill(channel);
                    channel.cancel();
                    assertEquals(upTo(arena.capacity()), undelivered);
                    assertTrue(channel.isClosed());
                    assertThrows(ChannelClosedException.class, channel::receive);
                    assertThrows(ChannelClosedException.class, channel::tryReceive);
                    channel.cancel();
                    channel.close();
                    assertEquals(upTo(arena.capacity()), undelivered, "handed over once more");
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_cancelGivesWaitingSendersTheirElements(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    List<Integer> undelivered = new ArrayList<>();
                    Channel<Integer> channel = arena.channel(undelivered::add);
                    arena.fill(channel);
                    Player<?> sender = arena.waitingSender(channel, -1);
                    channel.cancel();
                    assertEquals(-1, returned(sender));
                    assertEquals(upTo(arena.capacity()), undelivered);
                });
    }

    private static Object returned(Player<?> sender) {
        return sender.awaitFailure(ChannelClosedException.class).element().orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_cancelTellsWaitingReceivers(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver = arena.waitingReceiver(channel);
                    channel.cancel();
                    receiver.awaitFailure(ChannelClosedException.class);
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#buffered")
    void C1_cancelAfterCloseHandsOverWhatIsLeft(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    List<Integer> undelivered = new ArrayList<>();
                    Channel<Integer> channel = arena.channel(undelivered::add);
                    arena.fill(channel);
                    IllegalStateException cause = new IllegalStateException("the source broke");
                    channel.close(cause);
                    assertEquals(0, channel.receive());
                    assertEquals(List.of(), undelivered, "close is graceful");
                    channel.cancel();
                    assertEquals(upTo(arena.capacity()).subList(1, arena.capacity()), undelivered);
                    assertSame(
                            cause,
                            assertThrows(ChannelClosedException.class, channel::receive)
                                    .getCause());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_cancelWithoutAHookDropsTheBuffer(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    channel.cancel();
                    assertThrows(ChannelClosedException.class, channel::tryReceive);
                });
    }

    /** A hook that asks another thread about the channel would hang if the lock were held. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#buffered")
    void C3_hookRunsOutsideTheGuard(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    AtomicReference<@Nullable Channel<Integer>> self = new AtomicReference<>();
                    List<Boolean> answers = new ArrayList<>();
                    Channel<Integer> channel =
                            arena.channel(
                                    element ->
                                            answers.add(
                                                    arena.receiver(() -> isClosed(self)).await()));
                    self.set(channel);
                    channel.send(1);
                    channel.cancel();
                    assertEquals(List.of(true), answers);
                });
    }

    private static boolean isClosed(AtomicReference<@Nullable Channel<Integer>> channel) {
        Channel<Integer> known = channel.get();
        return known != null && known.isClosed();
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#buffered")
    void C1_hookThatThrowsStillGetsTheOtherElements(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    List<Integer> undelivered = new ArrayList<>();
                    Channel<Integer> channel =
                            arena.channel(
                                    element -> {
                                        undelivered.add(element);
                                        throw new IllegalStateException("no place for " + element);
                                    });
                    arena.fill(channel);
                    IllegalStateException thrown =
                            assertThrows(IllegalStateException.class, channel::cancel);
                    assertEquals("no place for 0", thrown.getMessage());
                    assertEquals(upTo(arena.capacity()), undelivered);
                });
    }

    /**
     * Cancelling is what a receiver does in its last moments; then whatever the hook waits raises.
     */
    @ParameterizedTest
    @MethodSource("few")
    void F6_hookOfATerminatedFiberStillGetsTheOtherElements(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    List<Integer> undelivered = new ArrayList<>();
                    Channel<Integer> nobodySends = arena.channel();
                    Channel<Integer> channel =
                            arena.channel(
                                    element -> {
                                        undelivered.add(element);
                                        nobodySends.receive();
                                    });
                    arena.fill(channel);
                    Player<Integer> receiver =
                            arena.receiver(
                                    () -> {
                                        try {
                                            return nobodySends.receive();
                                        } finally {
                                            channel.cancel();
                                        }
                                    });
                    arena.untilWaiting(1, nobodySends);
                    receiver.terminate();
                    receiver.awaitTerminated();
                    assertEquals(upTo(arena.capacity()), undelivered);
                });
    }
}
