package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A user's mistake gets a clear error, never silence and never a hang. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class MisuseTest {
    private static final Duration LONG = Duration.ofHours(1);

    // ---------------------------------------------------------------- arguments

    @Test
    void C1_capacityBelowOneIsAnErrorWithARemedy() {
        List<Executable> makers =
                List.of(
                        () -> Channel.buffered(0),
                        () -> ChannelOptions.buffered(0),
                        () -> ChannelOptions.sliding(0),
                        () -> ChannelOptions.dropping(0),
                        () -> Channel.localBuffered(0));
        for (Executable maker : makers) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, maker);
            assertEquals("capacity=0 < 1; use a rendezvous channel for no buffer", e.getMessage());
        }
        IllegalArgumentException negative =
                assertThrows(
                        IllegalArgumentException.class, () -> Channel.buffered(Integer.MIN_VALUE));
        Errors.assertMentions(negative, "capacity=-2147483648 < 1; ");
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    @SuppressWarnings("NullAway") // passes what callers without checks might pass
    void C1_nullIsNoElementAndNoCause(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    List<Executable> sends =
                            List.of(
                                    () -> channel.send(null),
                                    () -> channel.send(null, LONG),
                                    () -> channel.trySend(null));
                    for (Executable send : sends) {
                        NullPointerException e = assertThrows(NullPointerException.class, send);
                        Errors.assertMentions(e, "element is null; ", "send an object");
                    }
                    NullPointerException e =
                            assertThrows(NullPointerException.class, () -> channel.close(null));
                    assertEquals("cause", e.getMessage());
                    assertTrue(!channel.isClosed(), "closed by a call that failed");
                });
    }

    @Test
    @SuppressWarnings("NullAway") // passes what callers without checks might pass
    void C1_nullIsNoHookNoNameAndNoFunction() {
        ChannelOptions<Integer> options = ChannelOptions.buffered(1);
        Channel<Integer> channel = Channel.make(options);
        List<Executable> calls =
                List.of(
                        () -> options.withUndelivered(null),
                        () -> options.withName(null),
                        () -> channel.onReceive(null),
                        () -> channel.onReceiveResult(null),
                        () -> channel.onSend(1, null),
                        () -> channel.onSend(null, () -> 1),
                        () -> channel.onSendResult(1, null),
                        () -> channel.cancel(null));
        for (Executable call : calls) {
            assertThrows(NullPointerException.class, call);
        }
        assertTrue(!channel.isClosed(), "closed by a call that failed");
    }

    /** The mark of a time limit is public; sent as an element it would look like one. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_markOfATimeLimitIsAnElementOrRefused(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Object> channel = arena.channel();
                    Player<Object> receiver = arena.waitingReceiver(channel);
                    try {
                        channel.send(Waits.TIMED_OUT);
                    } catch (IllegalArgumentException refused) {
                        channel.send(Waits.TIMED_OUT.toString());
                    }
                    assertEquals("TIMED_OUT", receiver.await().toString());
                });
    }

    // ---------------------------------------------------------------- wrong place

    private static List<Action> allCalls(Channel<Integer> channel) {
        return List.of(
                () -> channel.send(1),
                () -> channel.send(1, LONG),
                () -> channel.trySend(1),
                channel::receive,
                () -> channel.receive(LONG),
                channel::tryReceive,
                channel::close,
                () -> channel.close(new IllegalStateException("why")),
                channel::cancel,
                channel::isClosed,
                () -> channel.forEach(element -> {}));
    }

    private static List<Throwable> failures(List<Action> calls) {
        List<Throwable> thrown = new ArrayList<>();
        for (Action call : calls) {
            thrown.add(assertThrows(Throwable.class, call::run));
        }
        return thrown;
    }

    @Test
    void C3_localChannelUsedByAnotherCordNamesBoth() {
        Cord.<@Nullable Object>run(
                CordOptions.named("maker"),
                () -> {
                    Channel<Integer> channel = Channel.localBuffered(1);
                    Cord user = Cord.start("user");
                    List<Throwable> thrown =
                            user.spin("strayed", () -> failures(allCalls(channel))).await();
                    user.close();
                    for (Throwable each : thrown) {
                        assertInstanceOf(WrongThreadException.class, each);
                        Errors.assertMentions(
                                each,
                                channel.toString(),
                                "cord maker",
                                "user",
                                "without onThisCord()");
                    }
                    assertEquals(SendResult.SENT, channel.trySend(1));
                    return null;
                });
    }

    @Test
    void C3_localChannelUsedByAPlainThreadNamesBoth() {
        Channel<Integer> channel =
                Cord.run(CordOptions.named("maker"), () -> Channel.<Integer>localRendezvous());
        String here = Thread.currentThread().getName();
        for (Throwable each : failures(allCalls(channel))) {
            assertInstanceOf(WrongThreadException.class, each);
            Errors.assertMentions(each, "cord maker", here);
        }
    }

    @Test
    void C3_localChannelNeedsACord() {
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> Channel.localRendezvous());
        Errors.assertMentions(e, "is no cord");
        assertThrows(IllegalStateException.class, () -> Channel.localBuffered(1));
    }

    // ---------------------------------------------------------------- no fiber

    private static void inAMessage(Runnable task) {
        Cord.current()
                .post(
                        new CordMessage() {
                            @Override
                            public void onCord() {
                                task.run();
                            }

                            @Override
                            public void onClosed() {
                                throw new IllegalStateException("the cord has ended");
                            }
                        });
        Fiber.sleep(Duration.ofNanos(1));
    }

    /** Where no fiber runs nobody can wait. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void C1_waitingInAMessageIsAnError(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> full = arena.fullChannel();
                    Channel<Integer> empty = arena.channel();
                    List<Action> calls =
                            List.of(
                                    () -> full.send(-1),
                                    () -> full.send(-1, LONG),
                                    empty::receive,
                                    () -> empty.receive(LONG));
                    List<Throwable> thrown = new ArrayList<>();
                    inAMessage(() -> thrown.addAll(failures(calls)));
                    assertEquals(calls.size(), thrown.size());
                    for (Throwable each : thrown) {
                        assertInstanceOf(IllegalStateException.class, each);
                        Errors.assertMentions(each, "no fiber runs on");
                    }
                    assertEquals(0, Inside.waiting(full));
                    assertEquals(0, Inside.waiting(empty));
                    arena.drainFilled(full);
                    assertEquals(null, full.tryReceive());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void C1_tryAndSendToAWaitingReceiverWorkInAMessage(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> first = arena.waitingReceiver(channel);
                    Player<Integer> second = arena.waitingReceiver(channel);
                    List<Object> answers = new ArrayList<>();
                    inAMessage(
                            () -> {
                                answers.add(channel.trySend(1));
                                channel.send(2);
                                answers.add(String.valueOf(channel.tryReceive()));
                            });
                    assertEquals(List.of(SendResult.SENT, "null"), answers);
                    assertEquals(1, first.await());
                    assertEquals(2, second.await());
                });
    }

    // ---------------------------------------------------------------- nobody there

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void F9_waitThatNobodyCanEndIsADeadlock(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    DeadlockException received =
                            assertThrows(DeadlockException.class, channel::receive);
                    Errors.assertMentions(received, "waits: " + channel);
                    arena.fill(channel);
                    DeadlockException sent =
                            assertThrows(DeadlockException.class, () -> channel.send(-1));
                    Errors.assertMentions(sent, "waits: " + channel);
                    assertEquals(0, Inside.waiting(channel));
                    arena.drainFilled(channel);
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void F9_deadlockReportShowsEveryWaitAtAChannel(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Fiber<Integer> lonely = Fiber.spin("lonely", () -> channel.receive());
                    DeadlockException e = assertThrows(DeadlockException.class, lonely::await);
                    Errors.assertMentions(e, "fiber lonely on cord test waits: " + channel);
                    channel.send(1);
                    assertEquals(1, lonely.await());
                });
    }
}
