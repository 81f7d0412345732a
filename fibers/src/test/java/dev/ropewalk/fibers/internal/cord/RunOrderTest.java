package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
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
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Rule F1: a child that has not begun goes first when its parent awaits it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RunOrderTest {
    private final List<String> told = new ArrayList<>();

    private Fiber<?> spin(String name) {
        return Fiber.spin(name, () -> told.add(name));
    }

    private void tells(String... expected) {
        assertEquals(List.of(expected), told);
        told.clear();
    }

    @Test
    void F1_anAwaitedChildAndThenItsParentGoBeforeOthers() {
        Runs.fifo(
                () -> {
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        spin("child").await();
                                        told.add("parent");
                                    });
                    spin("other");
                    parent.await();
                    tells("child", "parent", "other"); // which is the caller's next child
                });
    }

    @Test
    void F1_siblingsKeepTheirOrder() {
        Runs.fifo(
                () -> {
                    spin("first");
                    spin("second");
                    Fiber<?> third = spin("third");
                    spin("fourth");
                    third.await();
                    tells("first", "second", "third", "fourth");
                });
    }

    @Test
    void F1_aSiblingThatWaitsHoldsNoneUp() {
        Runs.fifo(
                () -> {
                    Fiber<?> waits = Fiber.spin(() -> Fiber.suspend());
                    spin("awaited").await();
                    tells("awaited");
                    waits.schedule(null);
                    waits.await();
                });
    }

    @Test
    void F1_onlyAParentsAwaitChangesTheOrder() {
        Runs.fifo(
                () -> {
                    spin("first");
                    Fiber<?> nephew = Fiber.spin(() -> Fiber.suspend());
                    Fiber.snooze();
                    tells("first");
                    Fiber<?> other = spin("other");
                    Fiber<?> asker =
                            Fiber.spin(
                                    () -> {
                                        spin("own");
                                        other.await();
                                        told.add("asker");
                                    });
                    asker.await();
                    tells("other", "own", "asker");
                    nephew.terminate();
                });
    }

    @Test
    void F1_aScopeAndAwaitAllGoDepthFirstToo() {
        Runs.fifo(
                () -> {
                    for (ToLongFunction<Tree> form : forms()) {
                        Tree tree = new Tree(form);
                        Fiber<Long> root = Fiber.spin(() -> tree.sum(0, 1_000));
                        assertEquals(499_500, root.await());
                        assertTrue(
                                tree.maxWaiting <= 40, () -> "waiting at once=" + tree.maxWaiting);
                    }
                });
    }

    private static List<ToLongFunction<Tree>> forms() {
        return List.of(Tree::awaitEach, Tree::awaitAll, Tree::inScope);
    }

    /** Forks ten ways, and counts how many inner nodes wait at once. */
    private static final class Tree {
        private final ToLongFunction<Tree> form;
        private long number;
        private long size;
        private int waiting;
        private int maxWaiting;

        Tree(ToLongFunction<Tree> form) {
            this.form = form;
        }

        long sum(long first, long leaves) {
            if (leaves == 1) {
                return first;
            }
            maxWaiting = Math.max(maxWaiting, ++waiting);
            number = first;
            size = leaves / 10;
            long sum = form.applyAsLong(this);
            waiting--;
            return sum;
        }

        private List<Fiber<Long>> fork() {
            List<Fiber<Long>> children = new ArrayList<>();
            long part = size;
            for (int i = 0; i < 10; i++) {
                long first = number + i * part;
                children.add(Fiber.spin(() -> sum(first, part)));
            }
            return children;
        }

        long awaitEach() {
            return fork().stream().mapToLong(Fiber::await).sum();
        }

        long awaitAll() {
            List<Fiber<Long>> children = fork();
            Fiber.awaitAll(children);
            return children.stream().mapToLong(Fiber::await).sum();
        }

        long inScope() {
            long part = size;
            long from = number;
            long[] sum = new long[1];
            Scope.run(
                    scope -> {
                        for (int i = 0; i < 10; i++) {
                            long first = from + i * part;
                            scope.spin(
                                    "part",
                                    () -> {
                                        long one = sum(first, part);
                                        sum[0] += one; // read when it is there
                                    });
                        }
                    });
            return sum[0];
        }
    }

    /** Or a fiber that forks and joins for ever would have the cord for itself. */
    @Test
    void F1_othersHaveTheirTurnWithEachPoll() {
        Runs.fifo(
                () -> {
                    long[] turns = new long[1];
                    Fiber<?> other =
                            Fiber.spin(
                                    () -> {
                                        for (; ; ) {
                                            turns[0]++;
                                            Fiber.snooze();
                                        }
                                    });
                    Fiber<?> forks =
                            Fiber.spin(
                                    () -> {
                                        for (int i = 0; i < 10 * FiberLoop.POLL_INTERVAL; i++) {
                                            Fiber.spin(() -> 1).await();
                                        }
                                    });
                    forks.await();
                    assertTrue(turns[0] >= 18 && turns[0] <= 60, () -> "turns=" + turns[0]);
                    other.terminate();
                });
    }

    @Test
    void F1_aSwitchIsCountedOnce() {
        Runs.virtual(
                new Reports(),
                () -> {
                    long before = Cord.current().stats().switches();
                    for (int i = 0; i < 1_000; i++) {
                        Fiber.spin(() -> 1).await();
                    }
                    assertEquals(2_000, Cord.current().stats().switches() - before);
                    return null;
                });
    }

    @Test
    void F1_aParentThatItsChildEndsIsLeftInOrder() {
        Runs.fifo(
                () -> {
                    Fiber<?>[] parent = new Fiber<?>[1];
                    parent[0] =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            Fiber.spin(
                                                            () -> {
                                                                parent[0].terminate();
                                                                told.add("child");
                                                                Fiber.suspend();
                                                            })
                                                    .await();
                                        } finally {
                                            told.add("parent left");
                                        }
                                    });
                    assertThrows(FiberTerminatedException.class, () -> parent[0].await());
                    tells("child", "parent left");
                });
    }

    @Test
    void F1_aLimitedAwaitHelpsAndIsInTime() {
        Runs.fifo(
                () -> {
                    Fiber<?> child =
                            Fiber.spin(
                                    () -> {
                                        told.add("begun");
                                        Fiber.sleep(Duration.ofSeconds(2));
                                    });
                    Fiber<?> other = spin("other");
                    assertTrue(!child.awaitEnd(Duration.ofSeconds(1)));
                    tells("begun", "other");
                    CancelScope.moveOnAfter(
                            Duration.ofMillis(1), () -> Fiber.spin(() -> Fiber.suspend()).await());
                    assertTrue(child.awaitEnd(Duration.ofSeconds(1)));
                    other.await();
                });
    }

    @Test
    void F1_forksDeeperThanTheChain() {
        Runs.fifo(() -> assertEquals(3_000, deep(3_000)));
    }

    private static int deep(int levels) {
        return levels == 0 ? 0 : 1 + Fiber.spin(() -> deep(levels - 1)).await();
    }

    // ---------------------------------------------------------------- tasks

    @Test
    void F15_anAwaitedTaskIsClaimedByTheCordOfItsParent() {
        try (Scheduler scheduler = Scheduler.start(SchedulerOptions.named("one").withCords(1))) {
            List<String> order =
                    scheduler
                            .spin(
                                    () -> {
                                        List<String> log = new ArrayList<>();
                                        Fiber<?> first = scheduler.spin(() -> log.add("first"));
                                        Fiber<?> second = scheduler.spin(() -> log.add("second"));
                                        assertTrue(second.awaitEnd(Duration.ofSeconds(9)));
                                        log.add("parent");
                                        first.await();
                                        return log;
                                    })
                            .await();
            assertEquals(List.of("first", "second", "parent"), order);
        }
    }

    @Test
    void F15_treesOfTasksOnSeveralCordsGiveTheirSum() {
        for (int cords = 1; cords <= 3; cords++) {
            SchedulerOptions options = SchedulerOptions.named("some").withCords(cords);
            try (Scheduler scheduler = Scheduler.start(options)) {
                assertEquals(
                        49_995_000, scheduler.spin(() -> taskSum(scheduler, 0, 10_000)).await());
                assertEquals(
                        scheduler.stats().placed(),
                        11_111,
                        () -> "each was placed once: " + scheduler.stats());
            }
        }
    }

    private static long taskSum(Scheduler scheduler, long first, long leaves) {
        if (leaves == 1) {
            return first;
        }
        List<Fiber<Long>> children = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            long from = first + i * (leaves / 10);
            children.add(scheduler.spin(() -> taskSum(scheduler, from, leaves / 10)));
        }
        return children.stream().mapToLong(Fiber::await).sum();
    }

    // ---------------------------------------------------------------- inside synchronized

    /** On the parent's stack the child would hold it too, and take it along where it waits. */
    @Test
    void F1_awaitedChildNeitherHoldsNorTakesTheMonitorOfItsParent() {
        for (StackKind stacks : StackKind.values()) {
            if (stacks.isAvailable()) {
                Runs.real(stacks, new Reports(), () -> awaitsInside(Fiber::spin));
            }
        }
    }

    @Test
    void F15_awaitedTaskNeitherHoldsNorTakesTheMonitorOfItsParent() {
        for (StackKind stacks : StackKind.values()) {
            if (stacks.isAvailable()) {
                try (Scheduler scheduler = Runs.scheduler(stacks, 1, new Reports())) {
                    scheduler.spin(() -> awaitsInside(scheduler::spin)).await();
                }
            }
        }
    }

    private static void awaitsInside(Function<Callable<Boolean>, Fiber<Boolean>> spins) {
        for (int i = 0; i < 3; i++) {
            boolean waits = i > 0;
            Object monitor = new Object();
            synchronized (monitor) {
                Fiber<Boolean> child =
                        spins.apply(
                                () -> {
                                    boolean held = Thread.holdsLock(monitor);
                                    if (waits) {
                                        Fiber.sleep(Duration.ofMillis(1));
                                    }
                                    return held || Thread.holdsLock(monitor);
                                });
                assertFalse(child.await());
                assertTrue(Thread.holdsLock(monitor));
            }
            assertFalse(Thread.holdsLock(monitor));
        }
    }

    // ---------------------------------------------------------------- random trees

    /** A random tree of fibers that fork, join, wait, fail and end each other. */
    private static final class Game {
        private final List<String> told = new ArrayList<>();
        private final List<Fiber<?>> all = new ArrayList<>();
        private int begun;
        private int left;

        static List<String> run(long seed, CordOptions options) {
            Game game = new Game();
            Reports reports = new Reports();
            Cord.<@Nullable Object>run(
                    options.withUncaught(reports),
                    () -> {
                        SplittableRandom random = new SplittableRandom(seed);
                        FiberImpl.current().isolateChildren();
                        for (int i = 0; i < 4; i++) {
                            game.fork(random.split(), 0);
                        }
                        Fiber.sleep(Duration.ofSeconds(1));
                        List.copyOf(game.all).forEach(Fiber::terminate);
                        Fiber.sleep(Duration.ofSeconds(1));
                        CordImpl.current().checkInvariants();
                        return null;
                    });
            assertEquals(game.begun, game.left, () -> "begun and left, seed=" + seed);
            assertTrue(game.all.stream().allMatch(each -> each.state().name().equals("DEAD")));
            game.told.add("reports: " + reports.all().size());
            return game.told;
        }

        private Fiber<Integer> fork(SplittableRandom random, int depth) {
            int number = all.size();
            Fiber<Integer> fiber = Fiber.spin("f" + number, () -> live(number, random, depth));
            all.add(fiber);
            return fiber;
        }

        private int live(int number, SplittableRandom random, int depth) {
            begun++;
            try {
                for (int step = 0; step < 6; step++) {
                    told.add(number + "." + step);
                    play(random, depth);
                    CordImpl.current().checkInvariants();
                }
                return number;
            } finally {
                left++;
                told.add(number + " left");
            }
        }

        private void play(SplittableRandom random, int depth) {
            switch (random.nextInt(10)) {
                case 0 -> Fiber.snooze();
                case 1 -> Fiber.sleep(Duration.ofNanos(random.nextInt(1_000)));
                case 2 -> all.get(random.nextInt(all.size())).terminate();
                case 3 -> CancelScope.moveOnAfter(Duration.ofNanos(500), () -> Fiber.suspend());
                case 4 -> throw new IllegalStateException("fails");
                default -> join(random, depth);
            }
        }

        private void join(SplittableRandom random, int depth) {
            List<Fiber<Integer>> children = new ArrayList<>();
            for (int i = random.nextInt(1, 5); i > 0 && all.size() < 200 && depth < 5; i--) {
                children.add(fork(random.split(), depth + 1));
            }
            if (children.isEmpty()) {
                return;
            }
            Fiber<Integer> one = children.get(random.nextInt(children.size()));
            try {
                switch (random.nextInt(5)) {
                    case 0 -> Fiber.awaitAll(children);
                    case 1 -> Fiber.awaitAny(children);
                    case 2 -> told.add("in time " + one.awaitEnd(Duration.ofNanos(700)));
                    case 3 ->
                            CancelScope.moveOnAfter(
                                    Duration.ofNanos(random.nextInt(900)), () -> one.await());
                    default -> children.forEach(each -> told.add("awaited " + each.await()));
                }
            } catch (FiberFailedException failed) {
                told.add("failed");
            }
        }
    }

    private static void play(long seed) {
        CordOptions options =
                CordOptions.named("game").withClock(new CordOptions.VirtualClock(1, false));
        List<String> expected = Game.run(seed, options.withStacks(StackKind.PORTABLE));
        if (StackKind.LIGHT.isAvailable()) {
            assertEquals(expected, Game.run(seed, options), () -> "light seed=" + seed);
            CordOptions late = options.withLateUnmount(true);
            assertEquals(expected, Game.run(seed, late), () -> "late seed=" + seed);
        }
        Game.run(seed, options.withClock(new CordOptions.VirtualClock(seed, true)));
    }

    @Test
    void F1_theOrderIsTheSameOnAllStacks() {
        for (long seed = 0; seed < 100; seed++) {
            play(seed);
        }
    }

    @Test
    @Tag("stress")
    void F1_theOrderIsTheSameOnAllStacksForManySeeds() {
        for (long seed = 1_000; seed < 6_000; seed++) {
            play(seed);
        }
    }
}
