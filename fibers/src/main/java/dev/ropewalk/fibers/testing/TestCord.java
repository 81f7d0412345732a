package dev.ropewalk.fibers.testing;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * Runs the body of a test on a cord with a virtual clock, so that a sleep of a day takes no time
 * and the same seed gives the same run (rule F14).
 *
 * {@snippet file="dev/ropewalk/fibers/testing/TestingSnippetsTest.java" region="cord"}
 *
 * <p>A run fails if its body does, if the cord's uncaught handler was told something that {@link
 * #expectUncaught} did not announce, and if something announced did not come. The failure is an
 * {@link AssertionError} that names the seed, with the original as its cause. Started with {@code
 * -Dropewalk.seed=42}, {@link #run(Action)} uses that seed only.
 */
public final class TestCord {
    private TestCord() {}

    /**
     * Runs the body on a fresh cord for each of several fixed seeds, each with the run queue in
     * FIFO order and in an order drawn from the seed. The body must make its data anew each time.
     *
     * @param body what the root fiber runs
     * @throws AssertionError if a run fails; the later ones are left out
     */
    public static void run(Action body) {
        for (long seed : TestRun.seeds()) {
            run(seed, false, body);
            run(seed, true, body);
        }
    }

    /**
     * Runs the body once.
     *
     * @param seed of the cord's random numbers
     * @param seededOrder whether the order of the run queue is drawn from the seed too, otherwise
     *     FIFO
     * @param body what the root fiber runs
     * @throws AssertionError if the run fails
     */
    public static void run(long seed, boolean seededOrder, Action body) {
        Objects.requireNonNull(body, "body");
        String replay = "TestCord.run(" + seed + "L, " + seededOrder + ", body)";
        new TestRun(seed, seededOrder, replay)
                .run(
                        options ->
                                Cord.<@Nullable Object>run(
                                        options,
                                        () -> {
                                            body.run();
                                            return null;
                                        }));
    }

    /**
     * Announces one report to the uncaught handler of the current run, before or after it comes;
     * also inside {@link TestCords#run}.
     *
     * @param type the failure's class or a superclass of it
     * @throws IllegalStateException if this thread is not in a run
     */
    public static void expectUncaught(Class<? extends Throwable> type) {
        Objects.requireNonNull(type, "type");
        TestRun.current().expect(type);
    }

    /**
     * Announces lines of WARN or ERROR that Ropewalk itself logs in the current run, before or
     * after they come; also inside {@link TestCords#run}. The run fails if no such line comes,
     * whether or not it {@linkplain #failOnLogs fails for others}.
     *
     * @param part what the lines' messages contain; one call announces any number of them
     * @throws IllegalStateException if this thread is not in a run
     * @throws IllegalArgumentException if the part is empty, which would announce everything
     */
    public static void expectLog(String part) {
        if (part.isEmpty()) {
            throw new IllegalArgumentException(
                    "an empty part announces every line; name the one that belongs to the test");
        }
        TestRun.current().expectLog(part);
    }

    /**
     * Has the current run fail for each line of WARN or ERROR that Ropewalk logs on this thread,
     * from the run's begin to the end of its cords, unless {@link #expectLog} announced it;
     * {@code @FiberTest} does so by itself. Lines that other code logs are not seen, because SLF4J
     * has no place for a listener.
     *
     * @throws IllegalStateException if this thread is not in a run
     */
    public static void failOnLogs() {
        TestRun.current().failOnLogs();
    }
}
