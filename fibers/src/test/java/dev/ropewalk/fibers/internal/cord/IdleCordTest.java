package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.reactor.Reactor;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Rule F2: where an idle cord waits, before I/O is asked for and from then on. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class IdleCordTest {
    private static final Duration A_WHILE = Duration.ofMillis(30);

    /** Sleeps in {@link #A_WHILE}: one, and what a stray permit, a collector or a dump adds. */
    private static final long FEW_SLEEPS = 20;

    private static final int MESSAGES = 2_000;

    /** Where an idle cord waits. */
    enum Place {
        THREAD,
        REACTOR
    }

    // ---------------------------------------------------------------- in another JVM

    /** What the other JVM runs: cords of all kinds that fall asleep and are woken. */
    static final class Sleepers {
        private Sleepers() {}

        public static void main(String[] args) {
            for (StackKind stacks : StackKind.values()) {
                if (!stacks.isAvailable()) {
                    continue; // without the flag for it
                }
                Cord.run(
                        CordOptions.named("run").withStacks(stacks),
                        () -> {
                            Fiber.sleep(Duration.ofMillis(1));
                            return null;
                        });
                try (Cord cord = Cord.start(CordOptions.named("own").withStacks(stacks))) {
                    Fiber<@Nullable Object> waiting = cord.spin("waiting", () -> Fiber.suspend());
                    untilAsleep(cord, waiting);
                    waiting.schedule("woken");
                    waiting.await();
                    if (args.length > 0 && stacks != StackKind.PORTABLE) {
                        useReactor(cord, stacks);
                    }
                }
            }
        }

        private static void useReactor(Cord cord, StackKind stacks) {
            Runs.onCord(cord, () -> stacks == StackKind.LIGHT ? new OnLight() : new OnVirtual());
            ((RealPlatform) CordImpl.of(cord).platform).reactor(CordImpl.of(cord)).join();
            Runs.onCord(
                    cord,
                    () -> {
                        Fiber.sleep(Duration.ofMillis(1));
                        return null;
                    });
        }
    }

    /** That it is loaded tells the number of the thread of a cord. */
    private static final class OnLight {}

    private static final class OnVirtual {}

    private static void untilAsleep(Cord cord, Fiber<?> waiting) {
        long slept = cord.stats().sleeps();
        Runs.until(
                () ->
                        waiting.state() == FiberState.WAITING
                                && cord.stats().sleeps() >= slept
                                && CordImpl.of(cord).mail.activity() == Mail.Activity.ASLEEP);
    }

    private static OtherJvm.Ended run(String log, String... args)
            throws IOException, InterruptedException {
        List<String> flags =
                ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                        .filter(flag -> flag.startsWith("--"))
                        .toList();
        OtherJvm.Ended ended =
                OtherJvm.run(
                        Stream.concat(flags.stream(), Stream.of(log)).toList(),
                        Sleepers.class,
                        args);
        assertEquals(0, ended.exit(), ended.output());
        assertTrue(ended.output().contains(RealPlatform.class.getName()), "classes are named");
        return ended;
    }

    @Test
    void F2_cordWithoutIoLoadsNoClassOfNetty() throws IOException, InterruptedException {
        OtherJvm.Ended ended = run("-Xlog:class+load");
        List<String> netty =
                ended.output().lines().filter(line -> line.contains("io.netty")).toList();
        assertEquals(List.of(), netty);
    }

    @Tag("needs-flags")
    @Test
    void F2_reactorIsLoadedBesideTheCord() throws IOException, InterruptedException {
        OtherJvm.Ended ended = run("-Xlog:class+load:stdout:tid", "reactor");
        List<String> cords =
                ended.output()
                        .lines()
                        .filter(line -> line.contains(IdleCordTest.class.getName() + "$On"))
                        .map(line -> line.substring(0, line.indexOf(']') + 1))
                        .distinct()
                        .toList();
        assertEquals(2, cords.size(), ended.output());
        List<String> netty =
                ended.output().lines().filter(line -> line.contains("io.netty")).toList();
        assertFalse(netty.isEmpty(), "it was loaded");
        List<String> onCords =
                netty.stream().filter(line -> cords.stream().anyMatch(line::startsWith)).toList();
        assertEquals(List.of(), onCords);
    }

    // ---------------------------------------------------------------- the reactor

    private static Cord started(StackKind stacks, Place place, Reports reports) {
        Cord cord = Cord.start(CordOptions.named("idle").withStacks(stacks).withUncaught(reports));
        if (place == Place.REACTOR) {
            reactor(cord);
        }
        return cord;
    }

    private static Reactor reactor(Cord cord) {
        return ((RealPlatform) CordImpl.of(cord).platform).reactor(CordImpl.of(cord)).join();
    }

    @Test
    void F2_allWhoAskGetTheSameReactor() {
        Cord cord = Runs.started("asked", new Reports());
        Reactor first = reactor(cord);
        assertSame(first, reactor(cord));
        RealPlatform platform = (RealPlatform) CordImpl.of(cord).platform;
        assertSame(
                first, Runs.onCord(cord, () -> Futures.await(platform.reactor(CordImpl.of(cord)))));
        Runs.checkAndClose(cord);
    }

    @Test
    void F2_endedCordGetsNoReactor() {
        Cord cord = Runs.started("ended", new Reports());
        cord.close();
        RealPlatform platform = (RealPlatform) CordImpl.of(cord).platform;
        for (int i = 0; i < 2; i++) {
            CompletionException failed =
                    assertThrows(
                            CompletionException.class,
                            () -> platform.reactor(CordImpl.of(cord)).join());
            Throwable cause = Runs.cause(failed);
            assertEquals(CordClosedException.class, cause.getClass());
            String text = String.valueOf(cause.getMessage());
            assertTrue(text.contains("cord ended has ended"), text);
        }
    }

    @ParameterizedTest
    @EnumSource
    void F8_noWakeUpIsLost(Place place) {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            Cord cord = started(stacks, place, new Reports());
            for (int i = 0; i < MESSAGES; i++) {
                rest(i % 150);
                CountDownLatch taken = new CountDownLatch(1);
                cord.post(Runs.message(taken::countDown));
                Runs.await(taken);
            }
            Runs.checkAndClose(cord);
        }
    }

    /** So that some messages come before the cord sleeps, some as it does, and some after it. */
    private static void rest(int micros) {
        long endNs = RealPlatform.now() + micros * 1_000L;
        while (RealPlatform.now() - endNs < 0) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @EnumSource
    void F2_timerWakesTheCord(Place place) {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            Cord cord = started(stacks, place, new Reports());
            long ns =
                    Runs.onCord(
                            cord,
                            () -> {
                                long sinceNs = cord.nanoTime();
                                Fiber.sleep(A_WHILE);
                                return cord.nanoTime() - sinceNs;
                            });
            assertTrue(ns >= A_WHILE.toNanos(), "ns=" + ns);
            Runs.checkAndClose(cord);
        }
    }

    // ---------------------------------------------------------------- interrupts and permits

    private static long sleepsInAWhile() {
        Cord cord = Cord.current();
        long sleeps = cord.stats().sleeps();
        Fiber.sleep(A_WHILE);
        return cord.stats().sleeps() - sleeps;
    }

    @ParameterizedTest
    @EnumSource
    void F2_interruptedCordSleepsAndStaysInterrupted(Place place) {
        Cord cord = started(StackKind.LIGHT, place, new Reports());
        Runs.onCord(
                cord,
                () -> {
                    Thread.currentThread().interrupt();
                    long sleeps = sleepsInAWhile();
                    assertTrue(Thread.interrupted(), "the interrupt is the user's business");
                    assertTrue(sleeps >= 1 && sleeps <= FEW_SLEEPS, "sleeps=" + sleeps);
                    return null;
                });
        Runs.checkAndClose(cord);
    }

    @ParameterizedTest
    @EnumSource
    void F2_interruptWhileTheCordSleepsIsKept(Place place) {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            Cord cord = started(stacks, place, new Reports());
            Fiber<@Nullable Object> waiting = cord.spin("waiting", () -> Fiber.suspend());
            untilAsleep(cord, waiting);
            Thread thread = Objects.requireNonNull(CordImpl.of(cord).ownThread, "started");
            long before = cord.stats().sleeps();
            thread.interrupt();
            long sleeps = Runs.onCord(cord, IdleCordTest::sleepsInAWhile);
            assertTrue(sleeps >= 1 && sleeps <= FEW_SLEEPS, "sleeps=" + sleeps);
            if (stacks == StackKind.LIGHT) {
                assertTrue(Runs.onCord(cord, Thread::interrupted), "still interrupted");
            }
            assertTrue(cord.stats().sleeps() - before <= 2 * FEW_SLEEPS);
            waiting.schedule("end");
            waiting.await();
            Runs.checkAndClose(cord);
        }
    }

    @ParameterizedTest
    @EnumSource
    void F2_strayPermitEndsNoMoreThanASleep(StackKind stacks) {
        Cord cord = started(stacks, Place.THREAD, new Reports());
        Thread thread = Objects.requireNonNull(CordImpl.of(cord).ownThread, "started");
        Runs.onCord(
                cord,
                () -> {
                    LockSupport.unpark(thread);
                    long sleeps = sleepsInAWhile();
                    assertTrue(sleeps >= 1 && sleeps <= FEW_SLEEPS, "sleeps=" + sleeps);
                    return null;
                });
        Runs.checkAndClose(cord);
    }

    /** The ages of messages are counted from it, also of those that come while the cord sleeps. */
    @Test
    void F2_timeOfTheTickIsThatBehindASleep() {
        long behindNs =
                Cord.<Long>run(
                        () -> {
                            Fiber.sleep(A_WHILE.multipliedBy(10));
                            return Cord.current().nanoTime() - Waits.tickTime(Cord.current());
                        });
        assertTrue(behindNs < A_WHILE.multipliedBy(9).toNanos(), () -> "behind=" + behindNs);
    }
}
