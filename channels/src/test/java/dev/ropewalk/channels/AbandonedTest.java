package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rules F5 and F6: a fiber that swallows its termination until it is given up on never runs again,
 * not even to leave the queue in which it stands; so nothing may be given to it or taken from it.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AbandonedTest {
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
}
