package dev.ropewalk.fibers.blocking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Rule F12: pools of their own for code that blocks. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class BlockingPoolTest {
    private static final Duration SHORT = Duration.ofMillis(20);

    private final Reports reports = new Reports();
    private final List<Object> undelivered = new CopyOnWriteArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Cord cord = Runs.started("pool", reports);

    @AfterEach
    void close() {
        release.countDown();
        Runs.checkAndClose(cord);
    }

    private BlockingPool pool(int atOnce, int waiting) {
        return pool(atOnce, waiting, SHORT);
    }

    private BlockingPool pool(int atOnce, int waiting, Duration stopLimit) {
        return new BlockingPool(
                BlockingOptions.named("small")
                        .withMaxConcurrency(atOnce)
                        .withMaxPending(waiting)
                        .withStopLimit(stopLimit)
                        .withUndelivered(undelivered::add));
    }

    /** A fiber whose call runs until the release, whoever interrupts it; it runs when we return. */
    private Fiber<Boolean> stubborn(BlockingPool pool, String name) {
        CountDownLatch started = new CountDownLatch(1);
        Fiber<Boolean> fiber =
                cord.spin(
                        name,
                        () ->
                                pool.call(
                                        () -> {
                                            started.countDown();
                                            return BlockingTest.uninterruptibly(release);
                                        }));
        Runs.await(started);
        return fiber;
    }

    /** A fiber that waits for its place when we return. */
    private <T> Fiber<T> waiting(BlockingPool pool, String name, Block<T, Exception> code) {
        Fiber<T> fiber = cord.spin(name, () -> pool.call(code));
        Runs.until(() -> fiber.state() == FiberState.WAITING);
        return fiber;
    }

    @Test
    void F12_moreWaitingThanTheBoundAreRefusedWithTheNumbers() {
        BlockingPool pool = pool(1, 1);
        Fiber<Boolean> first = stubborn(pool, "first");
        Fiber<Integer> second = waiting(pool, "second", () -> 2);
        Fiber<Integer> third = cord.spin("third", () -> pool.call(() -> 3));
        Throwable refused = Runs.cause(Runs.failureOf(third::await));
        assertTrue(refused instanceof BlockingRejectedException, refused.toString());
        String message = refused.toString();
        assertTrue(message.contains("blocking pool small is full: maxConcurrency=1"), message);
        assertTrue(message.contains("maxPending=1"), message);
        pool.checkInvariants();
        release.countDown();
        assertTrue(first.await());
        assertEquals(2, second.await());
        Runs.until(() -> isIdle(pool));
    }

    private static boolean isIdle(BlockingPool pool) {
        try {
            pool.checkIdle();
            return true;
        } catch (IllegalStateException busy) {
            return false;
        }
    }

    /** Who leaves the line eats no place: the one behind it is let in. */
    @Test
    void F5_terminatedWaiterEatsNoPlaceAndItsCodeNeverRuns() {
        BlockingPool pool = pool(1, 1);
        Fiber<Boolean> first = stubborn(pool, "first");
        AtomicInteger ran = new AtomicInteger();
        Fiber<Integer> left = waiting(pool, "left", ran::incrementAndGet);
        left.terminate();
        assertThrows(FiberTerminatedException.class, left::await);
        Fiber<Integer> behind = waiting(pool, "behind", () -> 3);
        release.countDown();
        assertTrue(first.await());
        assertEquals(3, behind.await());
        assertEquals(0, ran.get());
        Runs.until(() -> isIdle(pool));
    }

    @Test
    void F5_timedOutWaiterEatsNoPlace() {
        BlockingPool pool = pool(1, 1);
        Fiber<Boolean> first = stubborn(pool, "first");
        Fiber<Integer> late =
                cord.spin(
                        "late", () -> CancelScope.moveOnAfter(SHORT, -1, () -> pool.call(() -> 1)));
        assertEquals(-1, late.await());
        Fiber<Integer> behind = waiting(pool, "behind", () -> 3);
        release.countDown();
        assertTrue(first.await());
        assertEquals(3, behind.await());
    }

    /** With no room for waiters: the place must be free before the result is delivered. */
    @Test
    void F12_whoHasItsResultFindsAPlaceAgain() {
        BlockingPool pool = pool(1, 0);
        Fiber<Integer> fiber =
                cord.spin(
                        "again",
                        () -> {
                            int sum = 0;
                            for (int i = 0; i < 1_000; i++) {
                                sum += pool.call(() -> 1);
                            }
                            return sum;
                        });
        assertEquals(1_000, fiber.await());
        Runs.until(() -> isIdle(pool));
    }

    @Test
    void F12_waitersAreServedInTheirOrder() {
        BlockingPool pool = pool(1, 10);
        List<Integer> order = new CopyOnWriteArrayList<>();
        stubborn(pool, "first");
        List<Fiber<Boolean>> fibers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int index = i;
            fibers.add(waiting(pool, "waiter" + i, () -> order.add(index)));
        }
        release.countDown();
        fibers.forEach(Fiber::await);
        assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), order);
    }

    @Test
    void F12_timeLimitOfACancelScopeInterruptsTheCode() {
        // Its stop limit is no part of this, and a short one may pass on a machine that is busy.
        BlockingPool pool =
                new BlockingPool(
                        BlockingOptions.named("patient").withUndelivered(undelivered::add));
        Fiber<String> fiber =
                cord.spin(
                        "limited",
                        () ->
                                CancelScope.moveOnAfter(
                                        SHORT,
                                        "left",
                                        () ->
                                                pool.call(
                                                        () -> {
                                                            release.await();
                                                            return "released";
                                                        })));
        assertEquals("left", fiber.await());
        Runs.until(() -> isIdle(pool));
        assertEquals(List.of(), undelivered);
        reports.assertNone();
    }

    @Test
    void F12_resultThatNobodyTakesGoesToTheHookOnce() {
        BlockingPool pool = pool(1, 0);
        Fiber<Boolean> fiber = stubborn(pool, "stubborn");
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        Reports.Report report = reports.only();
        assertTrue(report.failure() instanceof FiberAbandonedException);
        String message = report.failure().toString();
        assertTrue(message.contains("in blocking pool small ignored its interrupt"), message);
        assertTrue(message.contains("PT0.02S"), message);
        assertEquals(List.of(), undelivered);
        release.countDown();
        Runs.until(() -> undelivered.equals(List.of(true)));
        Runs.until(() -> isIdle(pool));
    }

    @Test
    void F12_failingHookHarmsNobody() {
        BlockingPool pool =
                new BlockingPool(
                        BlockingOptions.named("small")
                                .withStopLimit(SHORT)
                                .withUndelivered(
                                        result -> {
                                            throw new Exception("hook " + result);
                                        }));
        Fiber<Boolean> fiber = stubborn(pool, "stubborn");
        fiber.terminate();
        assertThrows(FiberTerminatedException.class, fiber::await);
        release.countDown();
        Runs.until(() -> isIdle(pool));
    }

    @Test
    void F12_threadIsNamedAfterPoolAndFiber() {
        BlockingPool pool = pool(1, 0);
        Fiber<String> fiber =
                cord.spin("caller", () -> pool.call(() -> Thread.currentThread().getName()));
        assertEquals("small for caller", fiber.await());
    }

    @Test
    void F12_runHasNoResult() throws Exception {
        BlockingPool pool = pool(1, 0);
        AtomicInteger ran = new AtomicInteger();
        Thread here = Thread.currentThread();
        pool.run(() -> assertSame(here, Thread.currentThread()));
        cord.spin("run", () -> pool.run(ran::incrementAndGet)).await();
        cord.spin("run", () -> Blocking.run(ran::incrementAndGet)).await();
        assertEquals(2, ran.get());
    }

    // ---------------------------------------------------------------- closing

    @Test
    void F12_closeWaitsForItsCallsAlsoForThoseInTheLine() {
        BlockingPool pool = pool(1, 1);
        Fiber<Boolean> first = stubborn(pool, "first");
        Fiber<Integer> second = waiting(pool, "second", () -> 2);
        Fiber<List<String>> closer = cord.spin("closer", () -> pool.close(Duration.ofDays(1)));
        Runs.until(() -> closer.state() == FiberState.WAITING);
        Fiber<Integer> late = cord.spin("late", () -> pool.call(() -> 3));
        Throwable refused = Runs.cause(Runs.failureOf(late::await));
        assertTrue(refused instanceof BlockingRejectedException, refused.toString());
        assertTrue(refused.toString().contains("small is closed"), refused.toString());
        assertThrows(BlockingRejectedException.class, () -> pool.call(() -> 4));
        release.countDown();
        assertEquals(List.of(), closer.await());
        assertTrue(first.await());
        assertEquals(2, second.await());
        pool.checkIdle();
    }

    @Test
    void F12_closeInterruptsAfterItsLimitAndRefusesWhoStillWaits() {
        BlockingPool pool = pool(1, 1);
        CountDownLatch started = new CountDownLatch(1);
        Fiber<String> running =
                cord.spin(
                        "running",
                        () ->
                                pool.call(
                                        () -> {
                                            started.countDown();
                                            try {
                                                release.await();
                                                return "released";
                                            } catch (InterruptedException expected) {
                                                return "interrupted";
                                            }
                                        }));
        Runs.await(started);
        AtomicInteger ran = new AtomicInteger();
        Fiber<Integer> second = waiting(pool, "second", ran::incrementAndGet);
        assertEquals(List.of(), pool.close(Duration.ZERO));
        assertEquals("interrupted", running.await());
        Throwable refused = Runs.cause(Runs.failureOf(second::await));
        assertTrue(refused instanceof BlockingRejectedException, refused.toString());
        assertEquals(0, ran.get());
        pool.checkIdle();
    }

    @Test
    void F12_closeReportsWhoDoesNotStopAndLetsItsCallerGo() {
        BlockingPool pool = pool(2, 0);
        Fiber<Boolean> first = stubborn(pool, "first");
        Fiber<Boolean> second = stubborn(pool, "second");
        assertEquals(List.of("first", "second"), pool.close(Duration.ZERO));
        for (Fiber<Boolean> each : List.of(first, second)) {
            Throwable left = Runs.cause(Runs.failureOf(each::await));
            assertTrue(left instanceof IllegalStateException, left.toString());
            assertTrue(left.toString().contains("left behind when the pool was closed"));
        }
        pool.checkIdle();
        release.countDown();
        Runs.until(() -> undelivered.equals(List.of(true, true)));
        assertEquals(List.of(), pool.close(Duration.ZERO));
    }

    @Test
    void F12_interruptedCloserStillInterruptsTheCalls() throws InterruptedException {
        BlockingPool pool = pool(1, 0);
        Fiber<String> running =
                cord.spin(
                        "running",
                        () ->
                                pool.call(
                                        () -> {
                                            try {
                                                release.await();
                                                return "released";
                                            } catch (InterruptedException expected) {
                                                return "interrupted";
                                            }
                                        }));
        Runs.until(() -> running.state() == FiberState.WAITING);
        Thread closer = Thread.ofPlatform().start(() -> failsInterrupted(pool));
        closer.interrupt();
        closer.join();
        assertEquals("interrupted", running.await());
    }

    /** Between the two steps of a close: its callers would wait for ever. */
    @Test
    void F12_interruptedCloserLetsTheCallersOfStubbornCallsGo() throws InterruptedException {
        BlockingPool pool = pool(1, 0);
        Fiber<Boolean> running = stubborn(pool, "running");
        Thread closer = Thread.ofPlatform().start(() -> failsInterrupted(pool));
        closer.interrupt();
        closer.join();
        Throwable left = Runs.cause(Runs.failureOf(running::await));
        assertTrue(left.toString().contains("left behind when the pool was closed"));
        release.countDown();
    }

    private static void failsInterrupted(BlockingPool pool) {
        assertThrows(WaitInterruptedException.class, () -> pool.close(Duration.ofDays(1)));
        assertTrue(Thread.interrupted());
    }

    @Test
    void F12_closeOfAPoolWithoutCallsIsNoSwitchpoint() {
        Runs.inAnyOrder(
                () -> {
                    BlockingPool pool = pool(1, 0);
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        Fiber.current().terminate();
                                        pool.close();
                                        log.add("closed");
                                        pool.call(() -> log.add("called"));
                                    });
                    assertTrue(fiber.awaitEnd(SHORT));
                    assertEquals(List.of("closed"), log);
                    pool.checkIdle();
                });
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void misuse_boundsAreChecked() {
        BlockingOptions options = BlockingOptions.named("bad");
        assertThrows(IllegalArgumentException.class, () -> options.withMaxConcurrency(0));
        assertThrows(IllegalArgumentException.class, () -> options.withMaxPending(-1));
        Duration negative = Duration.ofNanos(-1);
        assertThrows(IllegalArgumentException.class, () -> options.withStopLimit(negative));
        BlockingPool pool = pool(1, 0);
        assertThrows(IllegalArgumentException.class, () -> pool.close(negative));
        assertEquals(1, Runs.onCord(cord, () -> pool.call(() -> 1)));
    }

    // ---------------------------------------------------------------- conservation

    @Test
    void F12_everyResultIsTakenOrUndeliveredOnce() {
        conserve(System.identityHashCode(this), 200);
    }

    @Test
    @Tag("stress")
    void F12_everyResultIsTakenOrUndeliveredOnceManySeeds() {
        for (long seed = 0; seed < 100; seed++) {
            conserve(seed, 200);
        }
    }

    private void conserve(long seed, int calls) {
        String at = "seed=" + seed;
        Random random = new Random(seed);
        undelivered.clear();
        // A busy machine abandons no call, because the result of one comes after the end.
        BlockingPool pool = pool(3, 20, Duration.ofSeconds(10));
        List<Integer> taken = new CopyOnWriteArrayList<>();
        List<Integer> returned = new CopyOnWriteArrayList<>();
        List<Fiber<@Nullable Void>> fibers = new ArrayList<>();
        Cord other = Runs.started("other", reports);
        AtomicInteger rejected = new AtomicInteger();
        for (int i = 0; i < calls; i++) {
            int index = i;
            long limitNs = random.nextInt(300_000);
            Cord on = random.nextBoolean() ? cord : other;
            fibers.add(
                    on.spin(
                            "call" + i,
                            () -> {
                                try {
                                    CancelScope.moveOnAfter(
                                            Duration.ofNanos(limitNs),
                                            () ->
                                                    taken.add(
                                                            pool.call(
                                                                    () -> {
                                                                        returned.add(index);
                                                                        return index;
                                                                    })));
                                } catch (BlockingRejectedException full) {
                                    rejected.incrementAndGet();
                                }
                            }));
            if (random.nextInt(4) == 0) {
                fibers.get(random.nextInt(fibers.size())).terminate();
            }
        }
        for (Fiber<?> each : fibers) {
            assertTrue(each.awaitEnd(Duration.ofSeconds(10)), at);
        }
        assertEquals(List.of(), pool.close(Duration.ofSeconds(1)), at);
        pool.checkIdle();
        List<Object> all = new ArrayList<>(taken);
        all.addAll(undelivered);
        assertEquals(returned.stream().sorted().toList(), all.stream().sorted().toList(), at);
        assertFalse(all.size() + rejected.get() > calls, at);
        Runs.checkAndClose(other);
    }
}
