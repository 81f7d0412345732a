package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Rule C1: the forms with a limit. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TimedTest {
    private static final Duration SHORT = Duration.ofMillis(2);
    private static final Duration LONG = Duration.ofHours(1);

    /** No limit at all, and as good as none. */
    private static final List<Duration> ENDLESS =
            List.of(Waits.FOREVER, Duration.ofNanos(Long.MAX_VALUE - 1));

    private static final List<Duration> NONE = List.of(Duration.ZERO);

    /** Less than nothing, or more than fits. */
    private static final List<Duration> WRONG =
            List.of(
                    Duration.ofNanos(-1),
                    Duration.ofSeconds(Long.MIN_VALUE),
                    Duration.ofSeconds(Long.MAX_VALUE));

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_timedFormsGiveUpAfterTheirLimit(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    assertNull(channel.receive(SHORT));
                    arena.fill(channel);
                    assertFalse(channel.send(-1, SHORT));
                    assertEquals(0, Inside.waiting(channel));
                    arena.drainFilled(channel);
                    assertNull(channel.tryReceive(), "the element that was not sent");
                });
    }

    @Test
    void C1_limitAroundAWaitNamesWhatWasWaitedFor() {
        TestCord.run(
                () -> {
                    for (Channel<Integer> channel :
                            List.of(
                                    Channel.<Integer>localRendezvous(),
                                    Channel.<Integer>rendezvous())) {
                        assertNames(channel, channel::receive);
                        assertNames(channel, () -> channel.send(1));
                        assertNames(channel, () -> channel.receive()); // the node of before
                        assertNames(
                                "receive from " + channel,
                                () -> Select.of(channel.onReceive(i -> i)).await());
                    }
                });
    }

    private static void assertNames(Object what, Action wait) {
        FiberTimeoutException passed =
                assertThrows(
                        FiberTimeoutException.class,
                        () -> CancelScope.cancelAfter(SHORT, () -> wait.run()));
        Errors.assertMentions(passed, "was waiting: ", what.toString());
    }

    @Test
    void C1_dumpNamesTheChannelThatIsWaitedFor() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localRendezvous();
                    Fiber<?> waiter = Fiber.spin("waiter", () -> channel.receive());
                    Fiber.sleep(SHORT);
                    String dump = Cord.current().dump().toString();
                    assertTrue(dump.contains(channel.toString()), dump);
                    waiter.terminate();
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void C1_timedFormsGiveUpExactlyAtTheirLimit(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    long startNs = Cord.current().nanoTime();
                    assertNull(channel.receive(LONG));
                    assertEquals(LONG.toNanos(), Cord.current().nanoTime() - startNs);
                    arena.fill(channel);
                    assertFalse(channel.send(-1, LONG));
                    assertEquals(2 * LONG.toNanos(), Cord.current().nanoTime() - startNs);
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_timedFormsDoNotWaitWhenTheyNeedNot(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    for (Duration limit : NONE) {
                        for (int i = 0; i < arena.capacity(); i++) {
                            assertTrue(channel.send(i, limit));
                        }
                        for (int i = 0; i < arena.capacity(); i++) {
                            assertEquals(i, channel.receive(limit));
                        }
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_limitOfNothingGivesUpAtOnce(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> empty = arena.channel();
                    Channel<Integer> full = arena.fullChannel();
                    for (Duration limit : NONE) {
                        assertNull(empty.receive(limit), limit::toString);
                        assertFalse(full.send(-1, limit), limit::toString);
                    }
                });
    }

    @Test
    void C1_negativeOrOverflowingLimitIsAnErrorInAFiber() {
        TestCord.run(() -> refusesWrongLimits(Channel.localBuffered(1)));
        TestCord.run(() -> refusesWrongLimits(Channel.buffered(1)));
    }

    @Test
    void C1_negativeOrOverflowingLimitIsAnErrorInAThread() {
        refusesWrongLimits(Channel.buffered(1));
    }

    private static void refusesWrongLimits(Channel<Integer> channel) {
        for (Duration limit : WRONG) {
            assertThrows(IllegalArgumentException.class, () -> channel.receive(limit));
            assertThrows(IllegalArgumentException.class, () -> channel.send(1, limit));
            assertNull(channel.tryReceive(), "nothing was sent");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_timedReceiveTakesWhatIsSentInTime(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    for (Duration limit : List.of(LONG, ENDLESS.get(0), ENDLESS.get(1))) {
                        Player<Integer> receiver =
                                arena.receiver(
                                        () -> Objects.requireNonNull(channel.receive(limit)));
                        arena.untilWaiting(1, channel);
                        channel.send(5);
                        assertEquals(5, receiver.await());
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_timedSendIsTakenInTime(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    for (Duration limit : List.of(LONG, ENDLESS.get(0), ENDLESS.get(1))) {
                        Player<Boolean> sender = arena.sender(() -> channel.send(-1, limit));
                        arena.untilWaiting(1, channel);
                        arena.drainFilled(channel);
                        assertEquals(-1, channel.receive());
                        assertTrue(sender.await());
                        arena.fill(channel);
                    }
                });
    }

    /** A wait that was ended in time leaves no timer behind that could end a later one. */
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void F4_limitOfAnEarlierWaitDoesNotEndALaterOne(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Integer> receiver =
                            arena.receiver(
                                    () -> {
                                        int first = Objects.requireNonNull(channel.receive(LONG));
                                        return first + channel.receive();
                                    });
                    arena.untilWaiting(1, channel);
                    channel.send(1);
                    Fiber.sleep(LONG.multipliedBy(2));
                    channel.send(2);
                    assertEquals(3, receiver.await());
                });
    }
}
