package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.io.CordIo;
import dev.ropewalk.fibers.internal.reactor.Reactor;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Rule F2: the reactor has its turns, whatever the fibers of its cord do. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ReactorPollTest {
    private final Reports reports = new Reports();

    private Cord started(StackKind stacks) {
        return Cord.start(CordOptions.named("busy").withStacks(stacks).withUncaught(reports));
    }

    /** Counted in switches, not timed: a mark of the ticker may only make it sooner. */
    @ParameterizedTest
    @EnumSource
    void F2_reactorIsPolledBesideFibersThatNeverWait(StackKind stacks) {
        Cord cord = started(stacks);
        Reactor reactor = CordIo.reactorOf(cord).join();
        int snoozes =
                Runs.onCord(
                        cord,
                        () -> {
                            AtomicBoolean isDone = new AtomicBoolean();
                            Fiber.spin("other", () -> snoozeUntil(isDone));
                            Fiber.snooze();
                            reactor.eventLoop().execute(() -> isDone.set(true));
                            return snoozeUntil(isDone);
                        });
        assertTrue(
                2 * (snoozes - 1) <= FiberLoop.IO_POLL_INTERVAL,
                "snoozes=" + snoozes + " of each of two fibers");
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    private static int snoozeUntil(AtomicBoolean isDone) {
        int snoozes = 0;
        while (!isDone.get() && snoozes < 1_000_000) {
            Fiber.snooze();
            snoozes++;
        }
        return snoozes;
    }

    /** Rule I3: once in a turn, in the order of the first writes, before the thread sleeps. */
    @ParameterizedTest
    @EnumSource
    void I3_whatFibersWriteIsFlushedOnceATurn(StackKind stacks) {
        Cord cord = started(stacks);
        Reactor reactor = CordIo.reactorOf(cord).join();
        List<String> flushed = new ArrayList<>();
        Runs.onCord(
                cord,
                () -> {
                    reactor.flushLater(() -> flushed.add("a"));
                    reactor.flushLater(() -> flushed.add("b"));
                    assertEquals(List.of(), flushed);
                    while (flushed.isEmpty()) {
                        Fiber.snooze();
                    }
                    assertEquals(List.of("a", "b"), flushed);
                    reactor.flushLater(
                            () ->
                                    reactor.eventLoop()
                                            .execute(
                                                    () ->
                                                            reactor.flushLater(
                                                                    () -> flushed.add("c"))));
                    while (flushed.size() < 3) {
                        Fiber.snooze();
                    }
                    return null;
                });
        reactorSleeps(cord, reactor, flushed);
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    /** A flush that is asked for by a handler while nothing else happens is not forgotten. */
    private static void reactorSleeps(Cord cord, Reactor reactor, List<String> flushed) {
        Runs.onCord(
                cord,
                () -> {
                    Fiber<?> waiting = Fiber.current();
                    reactor.eventLoop()
                            .execute(
                                    () ->
                                            reactor.flushLater(
                                                    () -> {
                                                        flushed.add("d");
                                                        waiting.schedule(null);
                                                    }));
                    Fiber.suspend();
                    return null;
                });
        assertEquals(List.of("a", "b", "c", "d"), flushed);
    }
}
