package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The end of a scheduler, in steps: drain, terminate, abandon, and leave behind what is stuck; each
 * has a limit, and the report says who needed which. The first caller runs it, the others wait for
 * its report.
 */
final class SchedulerShutdown {
    private static final Logger LOG = LoggerFactory.getLogger(SchedulerShutdown.class);

    /** What a cord gets beyond its stop limit before it counts as stuck. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(1);

    private static final int STACK_LINES = 8;

    private final Scheduler scheduler;

    /** Who waits until all is quiet: the first caller. */
    private final Queue<Waiter> drainers = new ConcurrentLinkedQueue<>();

    /** Who waits for the report. */
    private final Queue<Waiter> followers = new ConcurrentLinkedQueue<>();

    /** Tasks that are ended before they have started. */
    private final Set<Fiber<?>> notStarted = ConcurrentHashMap.newKeySet();

    private final Queue<String> terminated = new ConcurrentLinkedQueue<>();
    private final Queue<String> abandoned = new ConcurrentLinkedQueue<>();
    private final List<String> stuck = new ArrayList<>();
    private final List<String> bound = new ArrayList<>();
    private volatile @Nullable ShutdownReport report;

    SchedulerShutdown(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    ShutdownReport run(long limitNs) {
        boolean isFirst = scheduler.beginDraining();
        Fiber<?> closer = Fiber.currentOrNull();
        if (closer == null) {
            runSteps(isFirst, limitNs);
        } else {
            closer.shielded(() -> runSteps(isFirst, limitNs));
        }
        return Objects.requireNonNull(report, "report");
    }

    private boolean runSteps(boolean isFirst, long limitNs) {
        if (isFirst) {
            end(limitNs);
        } else {
            follow();
        }
        return true;
    }

    private void follow() {
        Waiter waiter = new Waiter();
        followers.add(waiter);
        try {
            if (report == null) {
                waiter.await("the end of " + scheduler);
            }
        } finally {
            followers.remove(waiter);
        }
    }

    private void end(long limitNs) {
        boolean isStopping = false;
        try {
            boolean quiet = awaitQuiet(limitNs);
            isStopping = true;
            stop(quiet);
            awaitCords(scheduler.stopLimitNs());
        } catch (WaitInterruptedException interrupted) {
            if (!isStopping) {
                stop(false);
            }
            throw interrupted;
        } finally {
            finish();
        }
    }

    private void stop(boolean quiet) {
        scheduler.state(Scheduler.State.DRAINING, Scheduler.State.STOPPING);
        if (!quiet) {
            endTasks();
        }
        scheduler.cords().forEach(cord -> cord.root().terminate());
    }

    // ---------------------------------------------------------------- draining

    private boolean awaitQuiet(long limitNs) {
        Waiter waiter = new Waiter();
        drainers.add(waiter);
        try {
            return scheduler.isQuiet()
                    || waiter.await("the tasks of " + scheduler, limitNs) != Waits.TIMED_OUT;
        } finally {
            drainers.remove(waiter);
        }
    }

    /** Called with the end of each task, and when a thread was unbound. */
    void tellIfQuiet() {
        if (!drainers.isEmpty() && scheduler.isQuiet()) {
            drainers.forEach(each -> each.give(null));
        }
    }

    // ---------------------------------------------------------------- ending by force

    private void endTasks() {
        List<Cord> own = scheduler.cords();
        for (TaskQueue each : scheduler.queues()) {
            notStarted.addAll(each.snapshot());
            each.cord.send(FiberMessages.quiet(() -> endTasksOn(each.cord)));
            if (!own.contains(each.cord)) {
                bound.add(each.cord.toString());
            }
        }
        notStarted.forEach(Fiber::terminate);
    }

    /** On that cord. */
    private void endTasksOn(Cord cord) {
        for (Fiber<?> each : cord.tasksHere()) {
            if (each.rawState() == FiberCore.UNSTARTED) {
                notStarted.add(each);
            } else {
                terminated.add(each.toString());
            }
            each.terminate();
        }
    }

    void noteAbandoned(Fiber<?> fiber) {
        if (scheduler.state() == Scheduler.State.STOPPING) {
            abandoned.add(fiber.toString());
        }
    }

    private void awaitCords(long stopLimitNs) {
        long limitNs =
                stopLimitNs > Long.MAX_VALUE - GRACE_NS ? stopLimitNs : stopLimitNs + GRACE_NS;
        long startNs = RealSeam.now();
        for (Cord cord : scheduler.cords()) {
            long leftNs = Math.max(0, limitNs - (RealSeam.now() - startNs));
            if (!cord.awaitOver(leftNs)) {
                stuck.add(describe(cord));
            }
        }
    }

    /** The fiber is a hint: its cord does not stop for this look. */
    private static String describe(Cord cord) {
        Fiber<?> running = cord.running();
        Thread thread = cord.ownThread();
        String stack =
                thread == null
                        ? ""
                        : Arrays.stream(thread.getStackTrace())
                                .limit(STACK_LINES)
                                .map(frame -> " at " + frame)
                                .collect(Collectors.joining());
        return cord + " runs " + (running == null ? "no fiber" : running.name()) + stack;
    }

    private void finish() {
        ShutdownReport all =
                new ShutdownReport(
                        notStarted.stream().map(Fiber::name).toList(),
                        List.copyOf(terminated),
                        List.copyOf(abandoned),
                        stuck,
                        bound);
        report = all;
        scheduler.state(Scheduler.State.STOPPING, Scheduler.State.OVER);
        if (!all.isClean()) {
            LOG.warn("{} did not stop by itself: {}", scheduler, all);
        }
        followers.forEach(each -> each.give(null));
    }
}
