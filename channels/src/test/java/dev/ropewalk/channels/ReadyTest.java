package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.VoidBlock;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules C1 and F6: a send or receive that need not wait is a switchpoint all the same; try forms
 * and what closes are none.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ReadyTest {
    private static final int MANY = 10_000;

    /** More than are taken in a second. */
    private static final int MANY_IN_REAL_TIME = 3_000_000;

    private static final Duration LIMIT = Duration.ofDays(1);
    private static final Duration SHORT = Duration.ofMillis(1);

    private static Channel<Integer> filled(boolean isLocal, int elements) {
        Channel<Integer> channel =
                isLocal ? Channel.localBuffered(elements + 1) : Channel.buffered(elements + 1);
        for (int i = 0; i < elements; i++) {
            assertEquals(SendResult.SENT, channel.trySend(i & 63));
        }
        return channel;
    }

    private static @Nullable Throwable failureOf(VoidBlock<Exception> call) {
        try {
            call.run();
            return null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }

    /** A fiber that has been terminated, with what each call threw there. */
    private static List<@Nullable Throwable> inATerminatedFiber(List<VoidBlock<Exception>> calls) {
        List<@Nullable Throwable> thrown = new ArrayList<>();
        Fiber<?> fiber =
                Fiber.spin(
                        () -> {
                            failureOf(Fiber::suspend);
                            calls.forEach(call -> thrown.add(failureOf(call)));
                        });
        Fiber.sleep(SHORT);
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        assertEquals(calls.size(), thrown.size());
        return thrown;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void F6_inATerminatedFiberItRaisesAndTakesNothing(boolean isLocal) {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = filled(isLocal, 1);
                    List<@Nullable Throwable> thrown =
                            inATerminatedFiber(
                                    List.of(
                                            () -> channel.send(7),
                                            () -> channel.send(7, LIMIT),
                                            channel::receive,
                                            () -> channel.receive(LIMIT),
                                            () -> assertTrue(channel.iterator().hasNext())));
                    thrown.forEach(each -> assertTrue(each instanceof Error, () -> "" + each));
                    assertEquals(0, channel.tryReceive());
                    assertEquals(null, channel.tryReceive());
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void C1_tryFormsAndClosingRaiseNothingThere(boolean isLocal) {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = filled(isLocal, 1);
                    List<@Nullable Throwable> thrown =
                            inATerminatedFiber(
                                    List.of(
                                            () -> channel.trySend(7),
                                            () -> assertEquals(0, channel.tryReceive()),
                                            channel::close,
                                            channel::cancel));
                    thrown.forEach(each -> assertEquals(null, each));
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void F2_receiverOfAFullChannelGivesWay(boolean isLocal) {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = filled(isLocal, MANY);
                    boolean[] ran = {false};
                    Fiber<?> neighbour = Fiber.spin(() -> ran[0] = true);
                    int taken = 0;
                    while (taken < MANY && !ran[0]) {
                        channel.receive();
                        taken++;
                    }
                    assertTrue(ran[0], "the neighbour never ran");
                    neighbour.await();
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void F2_senderWithRoomGivesWay(boolean isLocal) {
        TestCord.run(
                () -> {
                    Channel<Integer> channel =
                            isLocal ? Channel.localBuffered(MANY) : Channel.buffered(MANY);
                    boolean[] ran = {false};
                    Fiber<?> neighbour = Fiber.spin(() -> ran[0] = true);
                    for (int sent = 0; sent < MANY && !ran[0]; sent++) {
                        channel.send(1);
                    }
                    assertTrue(ran[0], "the neighbour never ran");
                    neighbour.await();
                });
    }

    /** With real time the ticker's mark ends the turn. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void F2_limitAndTerminationActBeforeTheChannelIsDry(boolean isLocal) {
        Cord.run(
                () -> {
                    Channel<Integer> channel = filled(isLocal, MANY_IN_REAL_TIME);
                    assertFalse(
                            CancelScope.moveOnAfter(
                                    SHORT,
                                    () -> {
                                        for (int i = 0; i < MANY_IN_REAL_TIME; i++) {
                                            channel.receive();
                                        }
                                    }));
                    Fiber<?> drain =
                            Fiber.spin(
                                    () -> {
                                        for (; ; ) {
                                            channel.receive();
                                        }
                                    });
                    Fiber.snooze();
                    drain.terminate();
                    assertThrows(FiberTerminatedException.class, drain::await);
                    assertTrue(channel.tryReceive() != null, "the channel ran dry before");
                });
    }
}
