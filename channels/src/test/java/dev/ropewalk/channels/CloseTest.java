package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Rule C1: a graceful close. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CloseTest {
    private static final Duration LONG = Duration.ofHours(1);
    private final IllegalStateException cause = new IllegalStateException("the source broke");

    private record Letter(int number) {}

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_closeLetsBufferedElementsOut(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    assertFalse(channel.isClosed());
                    channel.close();
                    assertTrue(channel.isClosed());
                    arena.drainFilled(channel);
                    ChannelClosedException end =
                            assertThrows(ChannelClosedException.class, channel::receive);
                    assertNull(end.getCause());
                    assertEquals(Optional.empty(), end.element());
                    Errors.assertMentions(end, channel.toString());
                    assertThrows(ChannelClosedException.class, channel::tryReceive);
                    assertThrows(ChannelClosedException.class, () -> channel.receive(LONG));
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_closedChannelDrainsToReceiversElsewhere(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    channel.close();
                    Player<Integer> receiver =
                            arena.receiver(
                                    () -> {
                                        int sum = 0;
                                        for (int element : channel) {
                                            sum += element;
                                        }
                                        return sum;
                                    });
                    int n = arena.capacity();
                    assertEquals(n * (n - 1) / 2, receiver.await());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_waitingSenderGetsItsElementBack(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Object> channel = arena.channel();
                    for (int i = 0; i < arena.capacity(); i++) {
                        channel.send(i);
                    }
                    Letter first = new Letter(1);
                    Letter second = new Letter(2);
                    Player<?> untimed = arena.waitingSender(channel, first);
                    Player<?> timed = arena.sender(() -> channel.send(second, LONG));
                    arena.untilWaiting(2, channel);
                    channel.close();
                    assertSame(first, returned(untimed));
                    assertSame(second, returned(timed));
                    for (int i = 0; i < arena.capacity(); i++) {
                        assertEquals(i, channel.receive());
                    }
                    assertThrows(ChannelClosedException.class, channel::receive);
                });
    }

    private static Object returned(Player<?> sender) {
        return sender.awaitFailure(ChannelClosedException.class).element().orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_laterSenderGetsItsElementBack(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Letter> channel = arena.channel();
                    channel.close();
                    Letter letter = new Letter(1);
                    ChannelClosedException sent =
                            assertThrows(ChannelClosedException.class, () -> channel.send(letter));
                    assertSame(letter, sent.element().orElseThrow());
                    Errors.assertMentions(sent, channel.toString());
                    ChannelClosedException timed =
                            assertThrows(
                                    ChannelClosedException.class, () -> channel.send(letter, LONG));
                    assertSame(letter, timed.element().orElseThrow());
                    assertEquals(SendResult.CLOSED, channel.trySend(letter));
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_waitingReceiversAreToldOfTheClose(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> untimed = arena.waitingReceiver(channel);
                    Player<?> timed = arena.receiver(() -> String.valueOf(channel.receive(LONG)));
                    arena.untilWaiting(2, channel);
                    channel.close(cause);
                    ChannelClosedException told =
                            untimed.awaitFailure(ChannelClosedException.class);
                    assertSame(cause, told.getCause());
                    assertEquals(Optional.empty(), told.element());
                    assertSame(cause, timed.awaitFailure(ChannelClosedException.class).getCause());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_closingTwiceIsHarmless(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    channel.close();
                    channel.close();
                    channel.close(cause);
                    arena.drainFilled(channel);
                    assertNull(
                            assertThrows(ChannelClosedException.class, channel::receive)
                                    .getCause());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_firstCauseStands(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    channel.close(cause);
                    channel.close();
                    channel.close(new IllegalStateException("too late"));
                    arena.drainFilled(channel);
                    assertSame(
                            cause,
                            assertThrows(ChannelClosedException.class, channel::receive)
                                    .getCause());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_closeCauseComesAfterTheDrain(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    channel.close(cause);
                    arena.drainFilled(channel);
                    List<ChannelClosedException> thrown = new ArrayList<>();
                    thrown.add(assertThrows(ChannelClosedException.class, channel::receive));
                    thrown.add(assertThrows(ChannelClosedException.class, channel::tryReceive));
                    thrown.add(
                            assertThrows(
                                    ChannelClosedException.class, () -> channel.receive(LONG)));
                    thrown.add(assertThrows(ChannelClosedException.class, () -> channel.send(1)));
                    thrown.forEach(each -> assertSame(cause, each.getCause()));
                    assertNotSame(thrown.get(0), thrown.get(1), "one exception for two callers");
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_waitingSenderIsToldTheCause(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    Player<?> sender = arena.waitingSender(channel, -1);
                    channel.close(cause);
                    ChannelClosedException told = sender.awaitFailure(ChannelClosedException.class);
                    assertSame(cause, told.getCause());
                    assertEquals(Optional.of(-1), told.element());
                });
    }

    /** A receiver may close, and so may somebody who neither sends nor receives. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_closeFromElsewhereEndsTheWait(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver = arena.waitingReceiver(channel);
                    Player<Boolean> closer =
                            arena.sender(
                                    () -> {
                                        channel.close();
                                        return channel.isClosed();
                                    });
                    assertTrue(closer.await());
                    receiver.awaitFailure(ChannelClosedException.class);
                });
    }
}
