package dev.ropewalk.fibers.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberLocal;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.observe.Slice;
import dev.ropewalk.fibers.recurring.Throttle;
import dev.ropewalk.fibers.recurring.Timed;
import dev.ropewalk.fibers.scheduler.Dag;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The calls that wait, from where nobody can wait: each is an error that says so, and cord and
 * others go on.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class WrongUseTest {
    private static final Duration LONG = Duration.ofDays(1);
    private static final Duration TOO_LONG = Duration.ofDays(200_000);

    private final Reports reports = new Reports();

    /** Each would wait for ever if it waited. */
    private static List<Action> waits(Fiber<?> alive, Mutex held) {
        return List.of(
                Fiber::suspend,
                Fiber::snooze,
                () -> Fiber.sleep(LONG),
                () -> Fiber.spin(() -> {}),
                alive::await,
                () -> alive.awaitEnd(LONG),
                () -> Fiber.awaitAll(List.of(alive)),
                () -> Fiber.awaitAny(List.of(alive)),
                () -> new WaitCell().await("nobody"),
                () -> Waits.park("nobody"),
                held::lock,
                () -> Futures.await(new CompletableFuture<>()),
                () -> Blocking.call(() -> 1),
                () -> Scope.run(scope -> {}),
                () -> CancelScope.cancelAfter(LONG, () -> {}),
                () -> Timed.every(LONG, () -> {}),
                () -> Timed.after(LONG, () -> {}),
                () -> Dag.<String>builder().build().run("data"),
                () -> FiberLocal.of(1).get(),
                Slice::checkpoint);
    }

    /** What each of them throws there. */
    private static List<Throwable> tryAll(List<Action> calls) {
        List<Throwable> thrown = new ArrayList<>();
        for (Action call : calls) {
            thrown.add(Runs.failureOf(call));
        }
        return thrown;
    }

    private static void assertAllRefused(List<Throwable> thrown) {
        for (Throwable each : thrown) {
            assertTrue(each instanceof IllegalStateException, each::toString);
            assertTrue(String.valueOf(each.getMessage()).contains("fiber"), each::toString);
        }
    }

    private interface Place {
        /** Has the code run there, perhaps later. */
        void run(Cord cord, Runnable code);
    }

    private void assertNobodyCanWait(Place place) {
        Cord cord = Runs.started("here", reports);
        Fiber<?> alive = cord.spin("alive", () -> Fiber.suspend());
        Mutex held = Mutex.shared();
        held.lock();
        CountDownLatch done = new CountDownLatch(1);
        AtomicReference<@Nullable List<Throwable>> thrown = new AtomicReference<>();
        place.run(
                cord,
                () -> {
                    try {
                        thrown.set(tryAll(waits(alive, held)));
                    } finally {
                        done.countDown();
                    }
                });
        Runs.await(done);
        assertAllRefused(Objects.requireNonNull(thrown.get(), "something there threw nothing"));
        held.unlock();
        assertEquals("fine", cord.spin("next", () -> "fine").await());
        alive.terminate();
        alive.awaitEnd(Duration.ofSeconds(5));
        Runs.checkAndClose(cord);
    }

    @Test
    void misuse_waitingInAMessage() {
        assertNobodyCanWait((cord, code) -> cord.post(Runs.message(code)));
        reports.assertNone();
    }

    @Test
    void misuse_waitingInAnOnEndHook() {
        assertNobodyCanWait((cord, code) -> cord.spin("ends", () -> 1).onEnd(ended -> code.run()));
        reports.assertNone();
    }

    @Test
    void misuse_waitingInTheUncaughtHandler() {
        Reports own = new Reports();
        AtomicReference<@Nullable Runnable> toRun = new AtomicReference<>();
        assertNobodyCanWait(
                (cord, code) -> {
                    toRun.set(code);
                    CordOptions options =
                            CordOptions.named("other")
                                    .withUncaught(
                                            (fiber, failure) -> {
                                                own.uncaught(fiber, failure);
                                                Runnable there = toRun.getAndSet(null);
                                                if (there != null) {
                                                    there.run();
                                                }
                                            });
                    try (Cord other = Cord.start(options)) {
                        other.execute(
                                () -> {
                                    throw new IllegalStateException("bad");
                                });
                        Runs.until(() -> toRun.get() == null);
                    }
                });
        assertEquals("task", own.only().fiber().name());
    }

    /** Netty calls its handlers where the cord would sleep. */
    @Test
    void misuse_waitingInANettyHandler() {
        assertNobodyCanWait(
                (cord, code) ->
                        ((RealPlatform) CordImpl.of(cord).platform)
                                .reactor(CordImpl.of(cord))
                                .join()
                                .eventLoop()
                                .execute(code));
        reports.assertNone();
    }

    @Test
    void misuse_negativeAndOverflowingTimes() {
        Runs.virtual(
                reports,
                () -> {
                    Fiber<?> alive = Fiber.spin(() -> Fiber.suspend());
                    Fiber.snooze();
                    for (Duration time : List.of(Duration.ofNanos(-1), TOO_LONG)) {
                        List<Action> calls =
                                List.of(
                                        () -> Fiber.sleep(time),
                                        () -> alive.awaitEnd(time),
                                        () -> CancelScope.cancelAfter(time, () -> {}),
                                        () -> CancelScope.moveOnAfter(time, () -> {}),
                                        () -> CancelScope.shielded(time, () -> {}),
                                        () -> CancelScope.withLimit(time),
                                        () -> Timed.every(time, () -> {}),
                                        () -> Timed.after(time, () -> {}),
                                        () -> Throttle.interval(time),
                                        () -> Mutex.shared().lock(time),
                                        () -> Cord.current().dump(time),
                                        () -> CordOptions.named("c").withStopLimit(time),
                                        () -> CordOptions.named("c").withStuckLimit(time),
                                        () -> SchedulerOptions.named("s").withDrainLimit(time));
                        for (Action call : calls) {
                            Throwable thrown = Runs.failureOf(call);
                            assertTrue(
                                    thrown instanceof IllegalArgumentException, thrown::toString);
                            assertTrue(
                                    String.valueOf(thrown.getMessage()).contains(time.toString()),
                                    thrown::toString);
                        }
                    }
                    alive.terminate();
                    alive.awaitEnd(LONG);
                    CordImpl.current().checkInvariants();
                    return null;
                });
        reports.assertNone();
    }
}
