package dev.ropewalk.fibers.testing;

import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.log.RootLocal;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/** One run of a test on virtual cords: the reports there, and the result. */
final class TestRun {
    /** Names the one seed to be replayed. */
    private static final String SEED_PROPERTY = "ropewalk.seed";

    private static final long[] SEEDS = {1, 2, 3, 5, 8, 13};
    private static final RootLocal<TestRun> CURRENT = new RootLocal<>();

    private final long seed;
    private final boolean seededOrder;
    private final String replay;
    private final List<Report> reports = new ArrayList<>();
    private final List<Class<? extends Throwable>> expected = new ArrayList<>();
    private final List<Logs.Line> logged = new ArrayList<>();
    private final List<String> expectedLogs = new ArrayList<>();
    private boolean isFailedByLogs;

    /** The failures that the uncaught handler was told. */
    private record Report(String fiber, Throwable failure) {}

    /** The last is the call that runs it again. */
    TestRun(long seed, boolean seededOrder, String replay) {
        this.seed = seed;
        this.seededOrder = seededOrder;
        this.replay = replay;
    }

    /** The seeds of a test that names no seed. */
    static long[] seeds() {
        return seeds(SEEDS);
    }

    /** The one of the property, if it is set, otherwise these. */
    static long[] seeds(long[] otherwise) {
        String replayed = System.getProperty(SEED_PROPERTY);
        return replayed == null ? otherwise.clone() : new long[] {parse(replayed)};
    }

    /** The run that this thread is in. */
    static TestRun current() {
        TestRun here = CURRENT.get();
        if (here == null) {
            throw new IllegalStateException(
                    "no run on " + Thread.currentThread() + ": call this inside TestCord.run(...)");
        }
        return here;
    }

    void expect(Class<? extends Throwable> type) {
        expected.add(type);
    }

    void expectLog(String part) {
        expectedLogs.add(part);
    }

    void failOnLogs() {
        isFailedByLogs = true;
    }

    /** Has the cords run, which are made by the options that it gives, and judges what came. */
    void run(Consumer<CordOptions> cords) {
        CordOptions options =
                CordOptions.named("test")
                        .withClock(new CordOptions.VirtualClock(seed, seededOrder))
                        .withUncaught(this::report);
        TestRun outer = CURRENT.get();
        CURRENT.set(this);
        Throwable failure = null;
        try {
            Logs.during(logged::add, () -> cords.accept(options));
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
        judgeLogs();
    }

    private void judgeLogs() {
        for (String part : expectedLogs) {
            if (logged.stream().noneMatch(line -> line.message().contains(part))) {
                throw failed("expected in the log, but not there: \"" + part + "\"", null);
            }
        }
        if (!isFailedByLogs) {
            return;
        }
        for (Logs.Line line : logged) {
            if (expectedLogs.stream().noneMatch(line.message()::contains)) {
                throw failed(
                        "logged "
                                + line
                                + ". If it belongs to the test, call TestCord.expectLog with a"
                                + " part of it",
                        line.failure());
            }
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
                                + "; to replay: "
                                + replay
                                + ", or -D"
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

    /** The exception of the body, without the wrapper that the end of its fiber put around it. */
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
