package dev.ropewalk.fibers.internal.stack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * Rule F11: stacks that are virtual threads of the JDK's scheduler keep the contract of light ones.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PortableStackTest {
    private static final int FIBERS = 12;
    private static final int STEPS = 40;
    private static final int LOST = 64;
    private static final int MANY = 100_000;
    private static final Duration SHORT = Duration.ofNanos(100);

    private static CordOptions portable() {
        return CordOptions.named("portable").withStacks(StackKind.PORTABLE);
    }

    // ---------------------------------------------------------------- the order

    /** Spins, waits, wakes, sleeps and ends as the seed says, and tells the order. */
    private static List<String> play(CordOptions options, long seed) {
        List<String> log = new ArrayList<>();
        Cord.run(
                options,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    List<Fiber<?>> all = new ArrayList<>();
                    for (int i = 0; i < FIBERS; i++) {
                        int number = i;
                        SplittableRandom own = random.split();
                        all.add(Fiber.spin("f" + i, () -> step(number, own, all, log)));
                    }
                    for (Fiber<?> each : all) {
                        each.awaitEnd(Duration.ofDays(1));
                    }
                    log.add("at " + Cord.current().stats().switches());
                    return null;
                });
        return log;
    }

    private static void step(
            int number, SplittableRandom random, List<Fiber<?>> all, List<String> log) {
        for (int i = 0; i < STEPS; i++) {
            log.add(number + "." + i);
            Fiber<?> other = all.get(random.nextInt(all.size()));
            switch (random.nextInt(7)) {
                case 0 -> Fiber.snooze();
                case 1 -> Fiber.sleep(SHORT.multipliedBy(random.nextInt(5)));
                case 2 -> log.add(String.valueOf(other.schedule(number)));
                case 3 ->
                        log.add(
                                "got "
                                        + CancelScope.moveOnAfter(
                                                SHORT,
                                                "none",
                                                () -> String.valueOf(Fiber.suspend())));
                case 4 -> log.add(Fiber.spin(() -> "child of " + number).await());
                case 5 ->
                        Fiber.spin(
                                        () -> {
                                            Fiber.snooze();
                                            log.add("late child of " + number);
                                        })
                                .await();
                default -> {
                    if (random.nextInt(STEPS) == 0) {
                        other.terminate();
                    }
                }
            }
        }
    }

    /** The same program and seed run the same way on both kinds. */
    @Test
    void F14_aSeedRunsAsOnLightStacks() {
        assumeTrue(StackKind.LIGHT.isAvailable());
        for (long seed = 0; seed < 50; seed++) {
            for (boolean seededOrder : new boolean[] {false, true}) {
                CordOptions options =
                        CordOptions.named("game")
                                .withUncaught(new Reports())
                                .withClock(new CordOptions.VirtualClock(seed, seededOrder));
                List<String> light = play(options.withStacks(StackKind.LIGHT), seed);
                List<String> portable = play(options.withStacks(StackKind.PORTABLE), seed);
                assertEquals(light, portable, "seed=" + seed + " seededOrder=" + seededOrder);
            }
        }
    }

    // ---------------------------------------------------------------- the threads

    @Test
    void F11_oneThreadAtATimeIsTheCord() {
        int[] count = new int[1];
        Cord.run(
                portable(),
                () -> {
                    List<Fiber<?>> all = new ArrayList<>();
                    for (int i = 0; i < FIBERS; i++) {
                        all.add(
                                Fiber.spin(
                                        () -> {
                                            for (int j = 0; j < 1_000; j++) {
                                                int before = count[0];
                                                assertTrue(Thread.currentThread().isVirtual());
                                                assertTrue(Cord.current().isCurrent());
                                                count[0] = before + 1; // no lock
                                                Fiber.snooze();
                                            }
                                        }));
                    }
                    all.forEach(Fiber::await);
                    return null;
                });
        assertEquals(FIBERS * 1_000, count[0]);
    }

    @Test
    void F11_anInterruptAndStrayPermitsEndNoWaitAndTheInterruptIsKept() {
        Cord.run(
                portable(),
                () -> {
                    Fiber<Boolean> fiber =
                            Fiber.spin(
                                    () -> {
                                        Thread.currentThread().interrupt();
                                        LockSupport.unpark(Thread.currentThread());
                                        Fiber.sleep(Duration.ofMillis(1));
                                        assertEquals("woken", Fiber.suspend());
                                        return Thread.interrupted();
                                    });
                    Runs.snoozeUntil(() -> fiber.schedule("woken"));
                    Fiber.sleep(Duration.ofMillis(5));
                    fiber.schedule("woken");
                    assertTrue(fiber.await());
                    // Nor has the next fiber of that thread anything of it.
                    assertFalse(Fiber.spin(Thread::interrupted).await());
                    return null;
                });
    }

    /** On a light stack this is an error. The child needs nothing of the class. */
    private static final class WaitsInside {
        static final String TEXT = Fiber.spin(PortableStackTest::hello).await();
    }

    private static String hello() {
        return "hello";
    }

    @Test
    void F11_aWaitInAClassInitialiserIsOne() {
        assertEquals("hello", Cord.run(portable(), () -> WaitsInside.TEXT));
    }

    /** As on the cord's own thread, and whatever an earlier fiber has set on theirs. */
    @Test
    void F11_fibersBeginWithTheClassLoaderOfTheCordsThread() {
        Thread own = Thread.currentThread();
        ClassLoader before = own.getContextClassLoader();
        ClassLoader mine = new ClassLoader(before) {};
        own.setContextClassLoader(mine);
        try {
            Cord.run(
                    portable(),
                    () -> {
                        for (int i = 0; i < 3; i++) {
                            assertSame(mine, Fiber.spin(() -> swapClassLoader(before)).await());
                        }
                        return null;
                    });
        } finally {
            own.setContextClassLoader(before);
        }
    }

    private static ClassLoader swapClassLoader(ClassLoader next) {
        Thread thread = Thread.currentThread();
        ClassLoader found = thread.getContextClassLoader();
        thread.setContextClassLoader(next);
        Fiber.snooze();
        return found;
    }

    @Test
    void F17_manyParkedFibersEnd() {
        Cord.run(
                portable(),
                () -> {
                    List<Fiber<?>> all = new ArrayList<>();
                    for (int i = 0; i < MANY; i++) {
                        all.add(Fiber.spin(() -> Fiber.suspend()));
                    }
                    Fiber.snooze();
                    for (Fiber<?> each : all) {
                        each.terminate();
                    }
                    for (Fiber<?> each : all) {
                        assertThrows(FiberTerminatedException.class, each::await);
                    }
                    assertTrue(Cord.current().stats().idleStacks() > 0);
                    return null;
                });
    }

    /** Its thread waits for ever; nothing but the cord knows it. */
    @Test
    void F7_theThreadOfAnAbandonedFiberIsGarbageWithItsCord() {
        WeakReference<Thread> thread = abandoned();
        Runs.until(
                () -> {
                    System.gc();
                    return thread.get() == null;
                });
    }

    private static WeakReference<Thread> abandoned() {
        List<WeakReference<Thread>> found = new ArrayList<>();
        Reports reports = new Reports();
        Cord.run(
                portable().withUncaught(reports).withStopLimit(Duration.ofMillis(1)),
                () -> {
                    Fiber.spin(
                            () -> {
                                found.add(new WeakReference<>(Thread.currentThread()));
                                CancelScope.<@Nullable Object, RuntimeException>shielded(
                                        Duration.ofDays(1), () -> Fiber.suspend());
                            });
                    Fiber.snooze();
                    return null;
                });
        return found.getFirst();
    }

    /** Those beside a living one may stay, which are few. */
    @Test
    void F7_threadsOfFibersThatALivingCordHasLostAreGarbage() {
        List<WeakReference<Thread>> lost = new CopyOnWriteArrayList<>();
        try (Cord cord = Cord.start(portable().withUncaught(new Reports()))) {
            Fiber<?> living = cord.spin("living", () -> Fiber.suspend());
            Fiber<?> spun = cord.spin("parent", () -> parkMany(lost));
            FiberImpl<?> parent = FiberImpl.of(spun);
            Runs.until(() -> lost.size() == LOST);
            cord.post(Runs.message(() -> Abandonment.abandonBelow(parent, "test")));
            Runs.until(
                    () -> {
                        System.gc();
                        return lost.stream().filter(each -> each.get() != null).count() < LOST / 2;
                    });
            living.terminate();
        }
    }

    private static void parkMany(List<WeakReference<Thread>> threads) {
        for (int i = 0; i < LOST; i++) {
            Fiber.spin(
                    () -> {
                        threads.add(new WeakReference<>(Thread.currentThread()));
                        Fiber.suspend();
                    });
        }
        Fiber.suspend();
    }

    // ---------------------------------------------------------------- carriers

    /** In a JVM with one carrier, which a wait in a class initialiser keeps. */
    static final class NoCarrier {
        private static volatile boolean isKept;

        private NoCarrier() {}

        private static final class Keeps {
            static {
                isKept = true;
                LockSupport.park();
            }

            private Keeps() {}

            static void touch() {}
        }

        public static void main(String[] args) {
            Thread keeper = Thread.ofVirtual().start(Keeps::touch);
            while (!isKept) {
                Thread.onSpinWait();
            }
            CordOptions options =
                    portable()
                            .withStuckLimit(Duration.ofMillis(100))
                            .withStuckHandler(
                                    report -> {
                                        Logs.logger("test").warn("{}", report);
                                        LockSupport.unpark(keeper);
                                    });
            Cord.run(options, () -> Fiber.spin(() -> Fiber.snooze()).await());
        }
    }

    @Test
    void F13_aCordThatGetsNoCarrierIsToldAndGoesOnWhenItGetsOne()
            throws IOException, InterruptedException {
        OtherJvm.Ended ended =
                OtherJvm.run(
                        List.of(
                                "-Djdk.virtualThreadScheduler.parallelism=1",
                                "-Djdk.virtualThreadScheduler.maxPoolSize=1"),
                        NoCarrier.class);
        assertEquals(0, ended.exit(), ended.output());
        assertTrue(ended.output().contains("cord portable has not yielded for"), ended.output());
        assertTrue(
                ended.output().contains("wait for a carrier of the JDK's scheduler"),
                ended.output());
    }

    // ---------------------------------------------------------------- a lost baton

    /** As if the scheduler had lost the fiber's thread: the baton is there, and never taken. */
    @Test
    void F7_aCordWhoseBatonIsLostBreaksInOrder() throws InterruptedException {
        Cord cord = Cord.start(portable().withUncaught((fiber, failure) -> {}));
        Fiber<?> lost = cord.spin("lost", PortableStackTest::loseTheBaton);
        assertTrue(lost.awaitEnd(Duration.ofSeconds(30)), () -> "" + lost);
        String failure = String.valueOf(lost.failure());
        assertTrue(failure.contains("no thread has the baton"), failure);
        assertTrue(failure.contains("worker of portable"), failure);
        Thread own = Objects.requireNonNull(CordImpl.of(cord).ownThread);
        assertTrue(own.join(Duration.ofSeconds(30)), own::toString);
        assertThrows(CordClosedException.class, () -> cord.spin("late", () -> 1));
    }

    private static int loseTheBaton() {
        Stack own = CordImpl.of(Cord.current()).mount.mountedStack();
        ((PortableStack) own).baton.give(Thread.ofVirtual().unstarted(() -> {}));
        for (; ; ) {
            LockSupport.park(); // for ever: it must not go on as the cord
        }
    }

    // ---------------------------------------------------------------- wrong use

    @Test
    void misuse_lateUnmountAndCpusNeedLightStacks() {
        assertThrows(IllegalArgumentException.class, () -> portable().withLateUnmount(true));
        assertThrows(IllegalArgumentException.class, () -> portable().withCpus(0));
    }
}
