package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;

/**
 * Rules F5 and F6: a fiber that swallows its termination until it is given up on never runs again,
 * not even to leave the queue in which it stands; so nothing may be given to it or taken from it.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AbandonedTest {
    private static final Duration A_MOMENT = Duration.ofNanos(1);

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void F5_abandonedReceiverEatsNoElement(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    abandonOneThatWaits(arena, channel, channel::receive);
                    SendResult expected = arena.capacity() == 0 ? SendResult.FULL : SendResult.SENT;
                    assertEquals(expected, channel.trySend(0));
                    assertEquals(arena.capacity() == 0 ? null : 0, channel.tryReceive());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#onOneCord")
    void F5_abandonedSenderGaveNothing(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    abandonOneThatWaits(arena, channel, () -> channel.send(-1));
                    arena.drainFilled(channel);
                    assertNull(channel.tryReceive());
                });
    }

    private static void abandonOneThatWaits(Arena arena, Channel<?> channel, Runnable waits) {
        TestCord.expectUncaught(FiberAbandonedException.class);
        Fiber<?> stubborn = Fiber.spin("stubborn", () -> forEver(waits));
        arena.untilWaiting(1, channel);
        stubborn.terminate();
        assertThrows(FiberAbandonedException.class, stubborn::await);
    }

    private static void forEver(Runnable waits) {
        for (; ; ) {
            try {
                waits.run();
            } catch (Error swallowed) {
                // It goes on as if nothing had happened.
            }
        }
    }

    /**
     * A local channel uses the object of a wait that is over again, for the wait of another fiber.
     */
    @Test
    void F5_abandonedFiberLeavesTheWaitsOfOthersAlone() {
        TestCord.run(
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    Channel<String> channel = Channel.localRendezvous();
                    Fiber<?> first =
                            Fiber.spin(
                                    "first",
                                    () -> {
                                        channel.receive();
                                        forEver(Fiber::snooze);
                                    });
                    Fiber.sleep(A_MOMENT);
                    channel.send("one");
                    Fiber.snooze();
                    Fiber<String> second = Fiber.spin("second", () -> channel.receive());
                    Fiber.snooze();
                    Fiber.snooze();
                    first.terminate();
                    assertThrows(FiberAbandonedException.class, first::await);
                    assertEquals(SendResult.SENT, channel.sendResult("two", Duration.ofSeconds(1)));
                    assertEquals("two", second.await());
                });
    }

    /** Without a hook the element is reported as lost; the other places leave all the same. */
    @Test
    void F5_abandonedSelectLeavesAllItsPlaces() {
        TestCord.run(
                1,
                false,
                () -> {
                    TestCord.expectUncaught(FiberAbandonedException.class);
                    TestCord.expectUncaught(IllegalStateException.class);
                    Channel<Integer> one = Channel.rendezvous();
                    Channel<Integer> other = Channel.rendezvous();
                    // At the moment at which the stop limit of the parent ends.
                    Fiber.spin(
                            "giver",
                            () -> {
                                Fiber.sleep(Duration.ofSeconds(5));
                                one.trySend(7);
                            });
                    Fiber.spin(
                            "parent",
                            () -> {
                                Fiber.spin("stubborn", () -> selectShielded(one, other));
                                Fiber.snooze();
                            });
                    Fiber.sleep(Duration.ofSeconds(7));
                    assertEquals(0, other.snapshot().waitingReceivers());
                });
    }

    private static void selectShielded(Channel<Integer> one, Channel<Integer> other) {
        CancelScope.shielded(
                Duration.ofSeconds(100),
                () -> Select.<Integer>of(one.onReceive(i -> i), other.onReceive(i -> i)).await());
    }
}
