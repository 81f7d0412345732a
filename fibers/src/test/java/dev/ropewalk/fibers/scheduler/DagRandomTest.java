package dev.ropewalk.fibers.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Random graphs, of which some runs fail, are terminated or timed out at random: every node begins
 * at most once and after all its dependencies have ended, a run that returns has run all of them,
 * and after any other nothing begins any more.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class DagRandomTest {
    private static final int RUNS = 6;

    /** A graph, with what its nodes need to know of it. */
    private static final class Graph {
        final long seed;
        final int size;
        final List<List<Integer>> dependencies = new ArrayList<>();
        final Dag<Run> dag;
        final Duration longest;

        Graph(long seed, Duration longest) {
            this.seed = seed;
            this.longest = longest;
            SplittableRandom random = new SplittableRandom(seed);
            this.size = random.nextInt(60);
            double density = random.nextDouble();
            Dag.Builder<Run> builder = Dag.builder();
            List<Dag.Node> nodes = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                List<Integer> mine = new ArrayList<>();
                for (int other = Math.max(0, i - 8); other < i; other++) {
                    if (random.nextDouble() < density) {
                        mine.add(other);
                    }
                }
                dependencies.add(mine);
                int number = i;
                Dag.Node[] before = mine.stream().map(nodes::get).toArray(Dag.Node[]::new);
                nodes.add(builder.node("node-" + i, run -> run.node(number), before));
            }
            this.dag = builder.build();
        }
    }

    /** What one run counts; its nodes may be on several cords. */
    private static final class Run {
        private final Graph graph;
        private final long seed;
        private final int failing;
        private final AtomicIntegerArray begun;
        private final AtomicIntegerArray ended;
        private final AtomicInteger inside = new AtomicInteger();

        /** No atomic: what dependencies wrote must be seen without one. */
        private final int[] plain;

        Run(Graph graph, long seed, boolean fails) {
            this.graph = graph;
            this.seed = seed;
            this.failing = fails ? new SplittableRandom(seed).nextInt(graph.size + 1) : -1;
            this.begun = new AtomicIntegerArray(graph.size);
            this.ended = new AtomicIntegerArray(graph.size);
            this.plain = new int[graph.size];
        }

        void node(int number) {
            assertEquals(1, begun.incrementAndGet(number), this::toString);
            inside.incrementAndGet();
            try {
                for (int each : graph.dependencies.get(number)) {
                    assertEquals(1, plain[each], this::toString);
                    assertEquals(1, ended.get(each), this::toString);
                }
                live(new SplittableRandom(seed * 31 + number));
                if (number == failing) {
                    throw new IllegalStateException("by chance");
                }
                plain[number]++;
                ended.incrementAndGet(number);
            } finally {
                inside.decrementAndGet();
            }
        }

        private void live(SplittableRandom random) {
            switch (random.nextInt(6)) {
                case 0 -> Fiber.snooze();
                case 1 -> Fiber.sleep(some(random));
                case 2 -> Fiber.spin(() -> Fiber.sleep(graph.longest)); // ends with the node
                case 3 -> Fiber.spin(() -> some(random)).await();
                default -> {}
            }
        }

        private Duration some(SplittableRandom random) {
            return Duration.ofNanos(random.nextLong(graph.longest.toNanos()));
        }

        private int sum(AtomicIntegerArray counts) {
            int sum = 0;
            for (int i = 0; i < counts.length(); i++) {
                sum += counts.get(i);
            }
            return sum;
        }

        /** How the run ends; true if it returned. */
        boolean start(NodeSpinner spinner, SplittableRandom random) {
            // One that fails is not left for another reason too: what it hides is reported.
            boolean isLimited = failing == -1 && random.nextInt(3) == 0;
            Duration limit = isLimited ? some(random).multipliedBy(4) : Waits.FOREVER;
            Fiber<Boolean> runner =
                    Fiber.spin(
                            "runner",
                            () ->
                                    CancelScope.moveOnAfter(
                                            limit, () -> graph.dag.run(this, spinner)));
            boolean isTerminated = failing == -1 && random.nextInt(3) == 0;
            if (isTerminated) {
                Fiber.sleep(some(random));
                runner.terminate();
            }
            try {
                boolean returned = runner.await();
                assertTrue(returned || isLimited, this::toString);
                return returned;
            } catch (FiberTerminatedException terminated) {
                assertTrue(isTerminated, this::toString);
            } catch (FiberFailedException failed) {
                Throwable own = Runs.cause(failed);
                assertTrue(
                        own.toString().contains("node node-" + failing + " of"),
                        () -> this + " " + own);
            }
            return false;
        }

        void check(boolean returned) {
            assertEquals(0, inside.get(), this::toString);
            if (returned) {
                assertEquals(graph.size, sum(begun), this::toString);
                assertEquals(graph.size, sum(ended), this::toString);
                assertTrue(failing == -1 || failing == graph.size, this::toString);
            }
        }

        @Override
        public String toString() {
            return "graph=" + graph.seed + " run=" + seed;
        }
    }

    private static void play(long seed, Duration longest, NodeSpinner spinner) {
        SplittableRandom random = new SplittableRandom(seed);
        Graph graph = new Graph(seed, longest);
        List<Run> runs = new ArrayList<>();
        int[] begun = new int[RUNS];
        for (int i = 0; i < RUNS; i++) {
            Run run = new Run(graph, seed + i, i % 3 == 2);
            runs.add(run);
            run.check(run.start(spinner, random));
            begun[i] = run.sum(run.begun);
        }
        Fiber.sleep(longest);
        for (int i = 0; i < RUNS; i++) {
            assertEquals(begun[i], runs.get(i).sum(runs.get(i).begun), "" + runs.get(i));
        }
    }

    @Test
    void F7_nodesRunOnceInOrder() {
        Runs.inAnyOrder(
                () ->
                        play(
                                Cord.current().nextInt(1_000_000),
                                Duration.ofSeconds(1),
                                NodeSpinner.HERE));
    }

    @Test
    @Tag("stress")
    void F7_nodesRunOnceInOrderUnderManySeeds() {
        for (long seed = 0; seed < 1_000; seed++) {
            long each = seed;
            TestCord.run(each, true, () -> play(each, Duration.ofSeconds(1), NodeSpinner.HERE));
        }
    }

    /** The runner is on a cord of its own, or on one of those of the nodes. */
    private static void playOnCords(StackKind stacks, long seed, int rounds) {
        Reports reports = new Reports();
        List<Cord> cords = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            cords.add(Cord.start(CordOptions.named(name).withStacks(stacks).withUncaught(reports)));
        }
        AtomicInteger next = new AtomicInteger();
        int used = 2 + (int) (seed % 2);
        NodeSpinner spread =
                (scope, name, body) ->
                        scope.spinOn(cords.get(next.getAndIncrement() % used), name, body);
        for (int i = 0; i < rounds; i++) {
            long each = seed + i;
            Cord cord = cords.get(i % cords.size());
            cord.spin("play", () -> play(each, Duration.ofNanos(200_000), spread)).await();
        }
        cords.forEach(Runs::checkAndClose);
        reports.assertNone();
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    void F8_nodesOnSeveralCordsRunOnceInOrder(StackKind stacks) {
        playOnCords(stacks, 1, 6);
        playOnCords(stacks, 2, 6);
    }

    @ParameterizedTest
    @EnumSource(StackKind.class)
    @Tag("stress")
    void F8_nodesOnSeveralCordsRunOnceInOrderUnderManySeeds(StackKind stacks) {
        for (long seed = 0; seed < 50; seed++) {
            playOnCords(stacks, 100 * seed, 30);
        }
    }

    @Test
    void F15_nodesThatAreTasksOfASchedulerRunOnceInOrder() {
        try (Scheduler scheduler = Scheduler.start("dag")) {
            NodeSpinner tasks = Dag.on(scheduler);
            for (int seed = 0; seed < 12; seed++) {
                int each = seed;
                scheduler.spin("play", () -> play(each, Duration.ofNanos(200_000), tasks)).await();
            }
        }
    }
}
