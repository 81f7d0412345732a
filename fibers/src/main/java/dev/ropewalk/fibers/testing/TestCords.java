package dev.ropewalk.fibers.testing;

import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;

/**
 * Runs the body of a test on several cords that share the calling thread and one virtual clock, so
 * that messages between cords can be replayed by the seed (rule F14).
 *
 * {@snippet file="dev/ropewalk/fibers/testing/TestingSnippetsTest.java" region="cords"}
 *
 * <p>The seed decides which cord goes on, and whether it runs a fiber, takes a message or fires its
 * timers; {@link VirtualCords} says what is repeatable and what is not, and {@link
 * VirtualCords#current} freezes, kills and starts cords. A run fails as that of {@link TestCord}
 * does, with the same text, and {@link TestCord#expectUncaught} announces reports of all cords.
 * Started with {@code -Dropewalk.seed=42}, {@link #run(int, Body)} uses that seed only.
 */
public final class TestCords {
    private TestCords() {}

    /** The body of a test on several cords. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs the body.
         *
         * @param cords all of the run; the first is the one that runs this
         * @throws Exception whatever the body throws; it fails the run
         */
        void run(List<Cord> cords) throws Exception;
    }

    /**
     * Runs the body for each of several fixed seeds, each with the run queues in FIFO order and in
     * an order drawn from the seed. The body must make its data anew each time.
     *
     * @param cords how many cords, at least 1
     * @param body what the root fiber of the first cord runs; when it has ended, with all fibers
     *     below it, the other cords are closed
     * @throws AssertionError if a run fails; the later ones are left out
     * @throws IllegalArgumentException if there are no cords, or the property names no seed
     */
    public static void run(int cords, Body body) {
        for (long seed : TestRun.seeds()) {
            run(cords, seed, false, body);
            run(cords, seed, true, body);
        }
    }

    /**
     * {@return the one seed that {@code -Dropewalk.seed} names, if it does, otherwise those given}
     *
     * @param seeds what runs otherwise
     * @throws IllegalArgumentException if the property names no seed
     */
    public static long[] seedsOr(long... seeds) {
        return TestRun.seeds(seeds);
    }

    /**
     * Runs the body once.
     *
     * @param cords how many cords, at least 1
     * @param seed of the turns and of the cords' random numbers
     * @param seededOrder whether the order of the run queues is drawn from the seed too, otherwise
     *     FIFO
     * @param body what the root fiber of the first cord runs
     * @throws AssertionError if the run fails
     * @throws IllegalArgumentException if there are no cords
     */
    public static void run(int cords, long seed, boolean seededOrder, Body body) {
        Objects.requireNonNull(body, "body");
        if (cords < 1) {
            throw new IllegalArgumentException("cords=" + cords + "; give at least 1");
        }
        String replay = "TestCords.run(" + cords + ", " + seed + "L, " + seededOrder + ", body)";
        new TestRun(seed, seededOrder, replay)
                .run(
                        options ->
                                VirtualCords.<@Nullable Object>run(
                                        options,
                                        cords,
                                        all -> {
                                            body.run(all);
                                            return null;
                                        }));
    }
}
