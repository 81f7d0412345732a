package dev.ropewalk.fibers.lifetimes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.ShutdownReport;
import dev.ropewalk.fibers.supervision.FiberSupervision;
import dev.ropewalk.fibers.supervision.FiberSupervisor;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fibers that are terminated, stopped, restarted, raised into, cancelled, timed out, moved to other
 * parents, adopted and killed by their children at random, also before they have started. In the
 * end all are dead, every body that was begun was left, the lock is free, and the structures are
 * whole.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RandomLivesTest {
    private static final Duration FAR = Duration.ofDays(1);

    /** Of real time, for one run; a run takes a few milliseconds. */
    private static final Duration MOST = Duration.ofSeconds(20);

    private static final FiberSupervision WATCHING =
            FiberSupervision.restarting(RestartRule.TEMPORARY)
                    .withOnFailure((fiber, failure) -> {});
    static final int FIBERS = 12;
    private static final int[] CORDS = {1, 2, 8};

    /** What a run counts; shared by the cords of a run. */
    static final class World {
        final AtomicInteger begun = new AtomicInteger();
        final AtomicInteger left = new AtomicInteger();
        final Mutex mutex = Mutex.shared();
        final List<Cord> cords = new ArrayList<>();
        final int millis;

        /** The game was played to its end. */
        private volatile boolean isOver;

        /** If there is one, new fibers are its tasks. */
        @Nullable Scheduler scheduler;

        /** Spun last by any fiber of the game: on its cord nothing may be known of it yet. */
        private volatile @Nullable Fiber<?> newest;

        /**
         * A supervisor waits for what it adopted also if that was given away since; where fibers
         * are adopted, none is given to a younger one, so that no such wait closes a circle.
         */
        private final boolean adopts;

        /** The place of each in the order in which they were spun. */
        private final Map<Fiber<?>, Integer> ages = new ConcurrentHashMap<>();

        private final AtomicInteger spun = new AtomicInteger();

        World(int millis, boolean adopts) {
            this.millis = millis;
            this.adopts = adopts;
        }

        Duration some(SplittableRandom random) {
            return Duration.ofNanos(random.nextInt(millis * 1_000_000));
        }

        /** A body with a random program; its failures are part of the game. */
        @Nullable Object live(SplittableRandom random, int depth) {
            begun.incrementAndGet();
            try {
                for (int step = 0; step < 6; step++) {
                    play(random, depth);
                }
                return "lived";
            } finally {
                left.incrementAndGet();
            }
        }

        private void play(SplittableRandom random, int depth) {
            switch (random.nextInt(11)) {
                case 0 -> Fiber.snooze();
                case 1 -> Fiber.sleep(some(random));
                case 2 -> CancelScope.moveOnAfter(some(random), () -> Fiber.suspend());
                case 3 -> CancelScope.shielded(some(random), () -> Fiber.sleep(some(random)));
                case 4 -> mutex.run(() -> Fiber.sleep(some(random)));
                case 5 -> CancelScope.moveOnAfter(some(random), () -> mutex.run(Fiber::snooze));
                case 6 -> spinBelow(random, depth);
                case 7 -> {
                    if (random.nextInt(4) == 0) {
                        throw new IllegalStateException("by chance");
                    }
                }
                case 8 -> scope(random, depth);
                case 9 -> disturbEarly(random, Fiber.current());
                default -> adoptEarly(random);
            }
        }

        private void disturbEarly(SplittableRandom random, Fiber<?> parent) {
            Fiber<?> target = newest;
            if (target == null) {
                return;
            }
            switch (random.nextInt(8)) {
                case 0 -> target.detach();
                case 1 -> target.terminate();
                case 2 -> restart(target);
                case 3 -> attach(parent, target);
                default -> attach(target, parent);
            }
        }

        private boolean mayEnter(Fiber<?> target, Fiber<?> parent) {
            Integer age = ages.get(target);
            Integer parentsAge = ages.get(parent);
            return !adopts || (age != null && parentsAge != null && parentsAge < age);
        }

        private void adoptEarly(SplittableRandom random) {
            Fiber<?> target = newest;
            Duration limit = some(random);
            if (adopts && target != null && mayEnter(target, Fiber.current())) {
                CancelScope.moveOnAfter(
                        limit, () -> FiberSupervisor.run(WATCHING, s -> adopt(s, target)));
            }
        }

        private static void adopt(FiberSupervisor supervisor, Fiber<?> target) {
            try {
                supervisor.adopt(target);
            } catch (IllegalArgumentException circle) {
                assertTrue(circle.toString().contains("is"), circle::toString);
            }
        }

        private void spinBelow(SplittableRandom random, int depth) {
            if (depth < 2) {
                SplittableRandom own = random.split();
                Scheduler spread = scheduler;
                Cord cord = cords.get(random.nextInt(cords.size()));
                int age = spun.getAndIncrement();
                note(
                        age,
                        spread == null
                                ? cord.<@Nullable Object>spin("below", () -> live(own, depth + 1))
                                : spread.<@Nullable Object>spin(
                                        "below", () -> live(own, depth + 1)));
            }
        }

        private Fiber<@Nullable Object> note(int age, Fiber<@Nullable Object> young) {
            ages.put(young, age);
            newest = young;
            return young;
        }

        private void scope(SplittableRandom random, int depth) {
            if (depth < 2) {
                SplittableRandom own = random.split();
                Cord cord = cords.get(random.nextInt(cords.size()));
                Scheduler spread = random.nextBoolean() ? scheduler : null;
                Scope.run(
                        scope -> {
                            int age = spun.getAndIncrement();
                            note(
                                    age,
                                    spread == null
                                            ? scope.spinOn(
                                                    cord, "member", () -> live(own, depth + 1))
                                            : scope.spinOn(
                                                    spread, "member", () -> live(own, depth + 1)));
                        });
            }
        }

        void disturb(SplittableRandom random, List<Fiber<@Nullable Object>> fibers) {
            Fiber<@Nullable Object> target = fibers.get(random.nextInt(fibers.size()));
            switch (random.nextInt(10)) {
                case 0 -> target.terminate();
                case 1 -> target.stop("stopped");
                case 2 -> target.raise(new IllegalStateException("raised"));
                case 3 -> target.schedule("scheduled");
                case 4 -> restart(target);
                case 5 -> target.awaitEnd(some(random));
                case 6 -> target.detach();
                case 7, 8 -> disturbEarly(random, target);
                default -> attach(target, fibers.get(random.nextInt(fibers.size())));
            }
        }

        private static void restart(Fiber<?> target) {
            try {
                target.restart();
            } catch (IllegalStateException dead) {
                assertTrue(target.failure() != null || target.state() == FiberState.DEAD);
            }
        }

        private void attach(Fiber<?> target, Fiber<?> parent) {
            try {
                if (mayEnter(target, parent)) {
                    target.attachTo(parent);
                }
            } catch (IllegalArgumentException circle) {
                assertTrue(circle.toString().contains("is"), circle::toString);
            }
        }

        void run(long seed) {
            FiberImpl.current().isolateChildren(); // else the first that fails would end the game
            SplittableRandom random = new SplittableRandom(seed);
            List<Fiber<@Nullable Object>> fibers = spinAll(random);
            disturbAll(random, fibers, 5 * FIBERS);
            endAll(fibers);
        }

        List<Fiber<@Nullable Object>> spinAll(SplittableRandom random) {
            List<Fiber<@Nullable Object>> fibers = new ArrayList<>();
            for (int i = 0; i < FIBERS; i++) {
                SplittableRandom own = random.split();
                Cord cord = cords.get(i % cords.size());
                Scheduler spread = scheduler;
                int age = spun.getAndIncrement();
                fibers.add(
                        note(
                                age,
                                spread == null
                                        ? cord.spin("fiber-" + i, () -> live(own, 0))
                                        : spread.spin("task-" + i, () -> live(own, 0))));
            }
            return fibers;
        }

        void disturbAll(SplittableRandom random, List<Fiber<@Nullable Object>> fibers, int times) {
            for (int i = 0; i < times; i++) {
                disturb(random, fibers);
                if (random.nextInt(3) == 0) {
                    Fiber.sleep(some(random));
                }
            }
        }

        void endAll(List<Fiber<@Nullable Object>> fibers) {
            for (Fiber<?> fiber : fibers) {
                fiber.terminate();
            }
            for (Fiber<?> fiber : fibers) {
                assertTrue(fiber.awaitEnd(FAR));
            }
            isOver = true;
        }

        void check(String replay, Reports reports) {
            assertTrue(isOver, () -> replay + ": the game broke off, reports=" + reports.all());
            for (Reports.Report each : reports.all()) {
                assertFalse(
                        each.failure() instanceof FiberAbandonedException,
                        () -> replay + ": " + each);
            }
            assertEquals(begun.get(), left.get(), replay);
            assertFalse(mutex.isLocked(), replay);
        }
    }

    /** A run that does not end names its seed too. */
    static void within(String replay, Executable run) {
        assertTimeoutPreemptively(
                MOST,
                () -> {
                    try {
                        run.execute();
                    } catch (Exception | Error failed) {
                        throw new AssertionError(replay + ": " + failed, failed);
                    }
                },
                replay);
    }

    /** The game's failures reach its root; here they are ignored, and everything else is not. */
    private static void swallowing(Action body) throws Exception {
        Fiber<?> host = Fiber.spin("host", body);
        host.awaitEnd(FAR);
    }

    private static void playVirtual(long seed) {
        World world = new World(3, seed % 2 == 0);
        Reports reports = new Reports();
        Cord cord =
                Cord.run(
                        CordOptions.named("virtual")
                                .withClock(new CordOptions.VirtualClock(seed, true))
                                .withUncaught(reports),
                        () -> {
                            Cord here = Cord.current();
                            CordImpl.of(here).root().isolateChildren();
                            world.cords.add(here);
                            swallowing(() -> world.run(seed));
                            return here;
                        });
        CordImpl.of(cord).checkInvariants();
        world.check("seed=" + seed, reports);
    }

    @Test
    void F6_nothingIsLostOnOneCord() {
        for (long seed = 0; seed < 300; seed++) {
            long own = seed;
            within("seed=" + seed, () -> playVirtual(own));
        }
    }

    @Test
    @Tag("stress")
    void F6_nothingIsLostOnOneCordWithManySeeds() {
        for (long seed = 1_000; seed < 20_000; seed++) {
            long own = seed;
            within("seed=" + seed, () -> playVirtual(own));
        }
    }

    private static void playReal(StackKind stacks, int cords, long seed) {
        World world = new World(1, seed % 2 == 0);
        Reports reports = new Reports();
        List<Cord> started = new ArrayList<>();
        for (int i = 0; i < cords; i++) {
            started.add(
                    Cord.start(
                            CordOptions.named("cord-" + i)
                                    .withStacks(stacks)
                                    .withUncaught(reports)));
        }
        world.cords.addAll(started);
        started.getFirst().spin("game", () -> world.run(seed)).awaitEnd(FAR);
        started.forEach(Runs::checkAndClose);
        world.check("seed=" + seed + " stacks=" + stacks + " cords=" + cords, reports);
    }

    private static void playOnScheduler(StackKind stacks, int cords, long seed) {
        World world = new World(1, seed % 2 == 0);
        Reports reports = new Reports();
        Scheduler scheduler = Runs.scheduler(stacks, cords, reports);
        world.scheduler = scheduler;
        world.cords.addAll(scheduler.cords());
        String replay = "seed=" + seed + " stacks=" + stacks + " cords=" + cords;
        world.cords.getFirst().spin("game", () -> world.run(seed)).awaitEnd(FAR);
        for (Cord each : world.cords) {
            each.spin("check", () -> CordImpl.of(each).checkInvariants()).await();
        }
        ShutdownReport report = scheduler.shutdown(FAR);
        assertTrue(report.isClean(), () -> replay + ": " + report);
        world.check(replay, reports);
    }

    @ParameterizedTest
    @EnumSource
    void F15_nothingIsLostOnAScheduler(StackKind stacks) {
        for (int cords : CORDS) {
            for (long seed = 0; seed < 10; seed++) {
                long own = seed;
                within("seed=" + seed, () -> playOnScheduler(stacks, cords, own));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("stress")
    void F15_nothingIsLostOnASchedulerWithManySeeds(StackKind stacks) {
        for (long seed = 100; seed < 400; seed++) {
            long own = seed;
            int cords = CORDS[(int) (seed % CORDS.length)];
            within("seed=" + seed, () -> playOnScheduler(stacks, cords, own));
        }
    }

    @ParameterizedTest
    @EnumSource
    void F8_nothingIsLostAcrossCords(StackKind stacks) {
        for (int cords : CORDS) {
            for (long seed = 0; seed < 10; seed++) {
                long own = seed;
                within("seed=" + seed, () -> playReal(stacks, cords, own));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("stress")
    void F8_nothingIsLostAcrossCordsWithManySeeds(StackKind stacks) {
        for (long seed = 100; seed < 400; seed++) {
            long own = seed;
            int cords = CORDS[(int) (seed % CORDS.length)];
            within("seed=" + seed, () -> playReal(stacks, cords, own));
        }
    }
}
