package dev.ropewalk.fibers.testing;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/**
 * Runs the body of a test on a cord with a virtual clock, so that a sleep of a day takes no time
 * and the same seed gives the same run (rule F14).
 *
 * <pre>{@code
 * TestCord.run(() -> {
 *     Fiber<String> reply = Fiber.spin(() -> {
 *         Fiber.sleep(Duration.ofDays(1));
 *         return "pong";
 *     });
 *     assertEquals("pong", reply.await());
 * });
 * }</pre>
 *
 * <p>A run fails if its body does, if the cord's uncaught handler was told something that {@link
 * #expectUncaught} did not announce, and if something announced did not come. The failure is an
 * {@link AssertionError} that names the seed, with the original as its cause. Started with {@code
 * -Dropewalk.seed=42}, {@link #run(Action)} uses that seed only.
 */
public final class TestCord {
    /** Names the one seed to be replayed by {@link #run(Action)}. */
    private static final String SEED_PROPERTY = "ropewalk.seed";

    private static final long[] SEEDS = {1, 2, 3, 5, 8, 13};
    private static final ThreadLocal<@Nullable TestCord> CURRENT = new ThreadLocal<>();

    private final long seed;
    private final boolean seededOrder;
    private final List<Report> reports = new ArrayList<>();
    private final List<Class<? extends Throwable>> expected = new ArrayList<>();

    /** What the uncaught handler was told. */
    private record Report(String fiber, Throwable failure) {}

    private TestCord(long seed, boolean seededOrder) {
        this.seed = seed;
        this.seededOrder = seededOrder;
    }

    /**
     * Runs the body on a fresh cord for each of several fixed seeds, each with the run queue in
     * FIFO order and in an order drawn from the seed. The body must make its data anew each time.
     *
     * @param body what the root fiber runs
     * @throws AssertionError if a run fails; the later ones are left out
     */
    public static void run(Action body) {
        String replayed = System.getProperty(SEED_PROPERTY);
        long[] seeds = replayed == null ? SEEDS : new long[] {parse(replayed)};
        for (long seed : seeds) {
            run(seed, false, body);
            run(seed, true, body);
        }
    }

    /**
     * Runs the body once.
     *
     * @param seed of the cord's random numbers
     * @param seededOrder whether the order of the run queue is drawn from the seed too, else FIFO
     * @param body what the root fiber runs
     * @throws AssertionError if the run fails
     */
    public static void run(long seed, boolean seededOrder, Action body) {
        Objects.requireNonNull(body, "body");
        new TestCord(seed, seededOrder).runHere(body);
    }

    /**
     * Announces one report to the uncaught handler of the current run, before or after it comes.
     *
     * @param type the failure's class or a superclass of it
     * @throws IllegalStateException if this thread is not in a run
     */
    public static void expectUncaught(Class<? extends Throwable> type) {
        Objects.requireNonNull(type, "type");
        TestCord here = CURRENT.get();
        if (here == null) {
            throw new IllegalStateException(
                    "no run on " + Thread.currentThread() + ": call this inside TestCord.run(...)");
        }
        here.expected.add(type);
    }

    private void runHere(Action body) {
        CordOptions options =
                CordOptions.named("test")
                        .withClock(new CordOptions.VirtualClock(seed, seededOrder))
                        .withUncaught(this::report);
        TestCord outer = CURRENT.get();
        CURRENT.set(this);
        Throwable failure = null;
        try {
            Cord.<@Nullable Object>run(
                    options,
                    () -> {
                        body.run();
                        return null;
                    });
        } catch (Throwable thrown) {
            failure = original(thrown);
        } finally {
            CURRENT.set(outer);
        }
        judge(failure);
    }

    private void report(Fiber<?> fiber, Throwable failure) {
        reports.add(new Report(fiber.toString(), failure));
    }

    private void judge(@Nullable Throwable failure) {
        takeExpectedReports();
        if (failure != null) {
            throw failed(failure.toString(), failure);
        }
        if (!reports.isEmpty()) {
            Report first = reports.removeFirst();
            throw failed(
                    "uncaught in "
                            + first.fiber()
                            + ": "
                            + first.failure()
                            + ". If it belongs to the test, call TestCord.expectUncaught",
                    first.failure());
        }
        if (!expected.isEmpty()) {
            throw failed("expected uncaught, but nobody reported: " + expected, null);
        }
    }

    private void takeExpectedReports() {
        for (Iterator<Report> each = reports.iterator(); each.hasNext(); ) {
            Throwable reported = each.next().failure();
            for (Class<? extends Throwable> type : expected) {
                if (type.isInstance(reported)) {
                    expected.remove(type);
                    each.remove();
                    break;
                }
            }
        }
    }

    private AssertionError failed(String what, @Nullable Throwable cause) {
        AssertionError error =
                new AssertionError(
                        what
                                + " [seed="
                                + seed
                                + " seededOrder="
                                + seededOrder
                                + "; to replay: TestCord.run("
                                + seed
                                + "L, "
                                + seededOrder
                                + ", body), or -D"
                                + SEED_PROPERTY
                                + "="
                                + seed
                                + "]",
                        cause);
        for (Report report : reports) {
            error.addSuppressed(report.failure());
        }
        return error;
    }

    /** What the body threw, without the wrapper that the end of its fiber put around it. */
    private static Throwable original(Throwable thrown) {
        boolean wrapper =
                thrown instanceof FiberFailedException
                        && !(thrown instanceof FiberTerminatedException)
                        && !(thrown instanceof FiberAbandonedException);
        Throwable cause = thrown.getCause();
        return wrapper && cause != null ? cause : thrown;
    }

    private static long parse(String replayed) {
        try {
            return Long.parseLong(replayed.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    SEED_PROPERTY + "=" + replayed + " is no seed; a seed is a whole number", e);
        }
    }
}
