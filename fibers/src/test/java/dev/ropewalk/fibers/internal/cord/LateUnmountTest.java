package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A fiber that waits leaves its stack only when it must; nothing else changes (rule F18). */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("needs-flags")
class LateUnmountTest {
    private static final Duration SOON = Duration.ofMillis(1);

    private static CordOptions options(boolean late, Reports reports) {
        return CordOptions.named("late")
                .withClock(new CordOptions.VirtualClock(1, false))
                .withUncaught(reports)
                .withLateUnmount(late);
    }

    private static void run(Action body) {
        Reports reports = new Reports();
        Cord.<@Nullable Object>run(
                options(true, reports),
                () -> {
                    body.run();
                    CordImpl.current().checkInvariants();
                    return null;
                });
        reports.assertNone();
    }

    @Test
    void F18_aSwitchIsCountedOnceAsWithout() {
        assertEquals(switchesOfPingPong(false), switchesOfPingPong(true));
    }

    private static long switchesOfPingPong(boolean late) {
        return Cord.<Long>run(
                options(late, new Reports()),
                () -> {
                    Fiber<?> here = Fiber.current();
                    Fiber<?> echo =
                            Fiber.spin(
                                    () -> {
                                        for (int i = 0; i < 300; i++) {
                                            Fiber.suspend();
                                            here.schedule(null);
                                        }
                                    });
                    Fiber.snooze();
                    long before = Cord.current().stats().switches();
                    for (int i = 0; i < 300; i++) {
                        echo.schedule(null);
                        Fiber.suspend();
                    }
                    return Cord.current().stats().switches() - before;
                });
    }

    /** A random program of fibers that wake each other, and what it did, in order. */
    private static final class Program {
        private final List<String> told = new ArrayList<>();
        private final List<Fiber<?>> all = new ArrayList<>();
        private int made;

        static List<String> run(long seed, boolean late) {
            Program program = new Program();
            Reports reports = new Reports();
            Cord.<@Nullable Object>run(
                    options(late, reports),
                    () -> {
                        SplittableRandom random = new SplittableRandom(seed);
                        for (int i = 0; i < 6; i++) {
                            program.spin(random.split(), 0);
                        }
                        Fiber.sleep(Duration.ofSeconds(1));
                        for (Fiber<?> each : List.copyOf(program.all)) {
                            each.terminate();
                        }
                        Fiber.sleep(Duration.ofSeconds(1));
                        CordImpl.current().checkInvariants();
                        return null;
                    });
            program.told.add("reports: " + reports.all().size());
            return program.told;
        }

        private void spin(SplittableRandom random, int depth) {
            int number = made++;
            all.add(Fiber.spin("f" + number, () -> live(number, random, depth)));
        }

        private void live(int number, SplittableRandom random, int depth) {
            try {
                for (int step = 0; step < 20; step++) {
                    told.add(number + "." + step);
                    play(random, depth);
                }
            } finally {
                told.add(number + " left");
            }
        }

        private void play(SplittableRandom random, int depth) {
            switch (random.nextInt(8)) {
                case 0, 1 -> Fiber.snooze();
                case 2 -> Fiber.sleep(Duration.ofNanos(random.nextInt(1_000)));
                case 3, 4 -> {
                    all.get(random.nextInt(all.size())).schedule("go");
                    Fiber.snooze();
                }
                case 5 -> {
                    all.get(random.nextInt(all.size())).schedule("go");
                    CancelScope.moveOnAfter(Duration.ofNanos(500), () -> Fiber.suspend());
                }
                case 6 -> {
                    if (depth < 3 && made < 200) {
                        spin(random.split(), depth + 1);
                    }
                }
                default -> {
                    if (depth < 3 && made < 200) {
                        SplittableRandom own = random.split();
                        int number = made++;
                        told.add(
                                "awaited "
                                        + Fiber.spin("a", () -> deep(own.nextInt(40), number))
                                                .await());
                    }
                }
            }
        }

        /** With more or less on the stack, and a switch at the bottom of it. */
        private static int deep(int depth, int number) {
            if (depth == 0) {
                Fiber.snooze();
                return number;
            }
            return deep(depth - 1, number);
        }
    }

    private static void compare(long seed) {
        assertEquals(Program.run(seed, false), Program.run(seed, true), () -> "seed=" + seed);
    }

    @Test
    void F18_orderIsTheSameAsWithout() {
        for (long seed = 0; seed < 200; seed++) {
            compare(seed);
        }
    }

    @Test
    @Tag("stress")
    void F18_orderIsTheSameAsWithoutForManySeeds() {
        for (long seed = 1_000; seed < 20_000; seed++) {
            compare(seed);
        }
    }

    @Test
    void F18_ringsOfAnySize() {
        for (int size : new int[] {2, 3, 4, 5, 6, 50, 1_000}) {
            run(
                    () -> {
                        List<Integer> told = new ArrayList<>();
                        List<Fiber<@Nullable Void>> ring = new ArrayList<>();
                        for (int i = 0; i < size; i++) {
                            int number = i;
                            ring.add(
                                    Fiber.spin(
                                            "r" + i,
                                            () -> {
                                                for (int lap = 0; lap < 3; lap++) {
                                                    Fiber.suspend();
                                                    told.add(number);
                                                    ring.get((number + 1) % size).schedule("on");
                                                }
                                            }));
                        }
                        Fiber.snooze();
                        ring.getFirst().schedule("begin");
                        Fiber.awaitAll(ring);
                        for (int i = 0; i < 3 * size; i++) {
                            assertEquals(i % size, told.get(i));
                        }
                    });
        }
    }

    @Test
    void F18_failuresEndTheirFiberOnly() {
        run(
                () -> {
                    Fiber<@Nullable Void> other = Fiber.spin("other", () -> Fiber.sleep(SOON));
                    Fiber<Integer> tooDeep = Fiber.spin("deep", () -> endless(0));
                    FiberFailedException failed =
                            assertThrows(FiberFailedException.class, tooDeep::await);
                    assertInstanceOf(StackOverflowError.class, Runs.cause(failed));
                    Fiber<@Nullable Void> bad =
                            Fiber.spin(
                                    "bad",
                                    () -> {
                                        Fiber.snooze();
                                        throw new IllegalStateException("by design");
                                    });
                    assertThrows(FiberFailedException.class, bad::await);
                    other.await();
                });
    }

    @SuppressWarnings("InfiniteRecursion")
    private static int endless(int depth) {
        return endless(depth + 1) + 1;
    }

    @Test
    void F18_terminationReachesAMountedWaiter() {
        run(
                () -> {
                    List<String> told = new ArrayList<>();
                    Fiber<@Nullable Void> waiter =
                            Fiber.spin(
                                    "waiter",
                                    () -> {
                                        try {
                                            Fiber.suspend();
                                        } finally {
                                            told.add("left");
                                        }
                                    });
                    Fiber<@Nullable Void> killer = Fiber.spin("killer", waiter::terminate);
                    killer.await();
                    assertThrows(FiberTerminatedException.class, waiter::await);
                    assertEquals(List.of("left"), told);
                });
    }

    private static final class PinnedLate {
        static final List<Throwable> THROWN = new ArrayList<>();
        static final int DONE;

        static {
            // Something can be entered on top of this pinned stack; but then it has to be left.
            Fiber.spin("on top", () -> Fiber.sleep(SOON));
            THROWN.add(Runs.failureOf(() -> Fiber.suspend()));
            DONE = 1;
        }
    }

    @Test
    void F18_aMountedWaiterThatCannotBeUnmountedGetsThePinnedError() {
        run(
                () -> {
                    Fiber<Integer> pinned = Fiber.spin("pinned", () -> PinnedLate.DONE);
                    assertEquals(1, pinned.await());
                    assertInstanceOf(StackPinnedException.class, PinnedLate.THROWN.getFirst());
                });
    }

    private static final class PinnedGiven {
        static final @Nullable Object GIVEN;

        static {
            Fiber<?> me = Fiber.current();
            Fiber.spin("giver", () -> me.schedule("given"));
            Fiber.spin("late", () -> Fiber.sleep(SOON));
            GIVEN = Fiber.suspend();
        }
    }

    @Test
    void F18_aPinnedWaiterKeepsWhatItWasGiven() {
        run(
                () -> {
                    Fiber<@Nullable Object> pinned = Fiber.spin("pinned", () -> PinnedGiven.GIVEN);
                    assertEquals("given", pinned.await());
                });
    }

    @Test
    void F18_onRealCordsToo() {
        Reports reports = new Reports();
        CordOptions options = CordOptions.named("late").withUncaught(reports).withLateUnmount(true);
        try (Cord one = Cord.start(options.withName("one"));
                Cord two = Cord.start(options.withName("two"))) {
            Fiber<Integer> counting =
                    one.spin(
                            "counting",
                            () -> {
                                int sum = 0;
                                for (int i = 0; i < 1_000; i++) {
                                    int number = i;
                                    sum += two.spin("add", () -> number).await();
                                    sum += Fiber.spin(() -> number).await();
                                }
                                return sum;
                            });
            assertEquals(999 * 1_000, counting.await());
            one.spin("check", () -> CordImpl.of(one).checkInvariants()).await();
        }
        reports.assertNone();
    }

    @Test
    void F18_boundThreadsAndVirtualThreadsGoWithoutIt() {
        CordOptions options = CordOptions.named("c").withLateUnmount(true);
        assertTrue(options.lateUnmount());
        assertTrue(options.withStacks(StackKind.VIRTUAL_THREAD).lateUnmount());
        Cord.run(
                options.withStacks(StackKind.VIRTUAL_THREAD),
                () -> Fiber.spin(() -> 1).await() + Fiber.spin(() -> 2).await());
        try (Scheduler scheduler =
                Scheduler.start(SchedulerOptions.named("s").withCords(0).withCord(options))) {
            scheduler.bind(() -> assertFalse(CordImpl.current().mount.switchesItself));
        }
    }
}
