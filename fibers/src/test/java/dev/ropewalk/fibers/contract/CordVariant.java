package dev.ropewalk.fibers.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.scheduler.ShutdownReport;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * The kinds of cords on which the same contract holds: what a fiber is spun on, its stack, how it
 * yields, and how many cords there are. Real time.
 */
record CordVariant(Kind kind, StackKind stacks, boolean isLateUnmount, int cords) {
    private static final int[] CORDS = {1, 2, 8};
    private static final Duration FAR = Duration.ofDays(1);

    /** Where the fibers are spun. */
    enum Kind {
        /** On cords of choice, each in its turn. */
        CORDS,
        /** As tasks of a scheduler, which any of its cords may start. */
        TASKS
    }

    static Stream<CordVariant> all() {
        List<CordVariant> all = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (StackKind stacks : StackKind.values()) {
                if (!stacks.isAvailable()) {
                    continue; // without the flag for it
                }
                for (boolean isLateUnmount : new boolean[] {false, true}) {
                    for (int cords : CORDS) {
                        if (isLateUnmount
                                && (stacks == StackKind.PORTABLE
                                        || !StackKind.LIGHT.isAvailable())) {
                            continue; // refused
                        }
                        all.add(new CordVariant(kind, stacks, isLateUnmount, cords));
                    }
                }
            }
        }
        return all.stream();
    }

    /** What runs on the cords. */
    @FunctionalInterface
    interface Body {
        void run(Cords cords) throws Exception;
    }

    /** The body runs as a fiber of the first cord, and everything is over when it returns. */
    void run(Reports reports, Body body) {
        CordOptions options =
                CordOptions.named("cord")
                        .withStacks(stacks)
                        .withLateUnmount(isLateUnmount)
                        .withUncaught(reports);
        Cords made = kind == Kind.TASKS ? onScheduler(options) : onCords(options);
        try {
            made.all.getFirst().spin("body", () -> body.run(made)).await();
            made.all.forEach(CordVariant::checkNothingIsLeft);
        } finally {
            made.close();
        }
    }

    void run(Body body) {
        Reports reports = new Reports();
        run(reports, body);
        reports.assertNone();
    }

    private Cords onCords(CordOptions options) {
        List<Cord> all = new ArrayList<>();
        for (int i = 0; i < cords; i++) {
            all.add(Cord.start(options.withName("cord-" + i)));
        }
        return new Cords(all, null);
    }

    private Cords onScheduler(CordOptions options) {
        Scheduler scheduler =
                Scheduler.start(
                        SchedulerOptions.named("workers").withCords(cords).withCord(options));
        return new Cords(scheduler.cords(), scheduler);
    }

    /** No timer and no fiber but the root, once the messages under way are there. */
    private static void checkNothingIsLeft(Cord cord) {
        Runs.until(() -> Runs.onCord(cord, () -> cord.stats().alive()) == 2); // and who looks
        Runs.onCord(
                cord,
                () -> {
                    CordImpl.of(cord).checkInvariants();
                    assertEquals(0, cord.stats().timers(), "timers of " + cord);
                    return true;
                });
    }

    /** The cords of a variant, and how fibers are spun there. */
    static final class Cords {
        final List<Cord> all;
        private final @Nullable Scheduler scheduler;

        Cords(List<Cord> all, @Nullable Scheduler scheduler) {
            this.all = all;
            this.scheduler = scheduler;
        }

        Cord cord(int number) {
            return all.get(number % all.size());
        }

        <T extends @Nullable Object> Fiber<T> spin(int number, Callable<? extends T> body) {
            return scheduler == null
                    ? cord(number).<T>spin("fiber-" + number, body)
                    : scheduler.<T>spin("task-" + number, body);
        }

        Fiber<?> spinIn(
                Scope<@Nullable Object> scope, int number, Callable<? extends Object> body) {
            return scheduler == null
                    ? scope.<Object>spinOn(cord(number), "member-" + number, body)
                    : scope.<Object>spinOn(scheduler, "member-" + number, body);
        }

        private void close() {
            if (scheduler == null) {
                all.forEach(Cord::close);
            } else {
                ShutdownReport report = scheduler.shutdown(FAR);
                assertTrue(report.isClean(), report::toString);
            }
        }
    }
}
