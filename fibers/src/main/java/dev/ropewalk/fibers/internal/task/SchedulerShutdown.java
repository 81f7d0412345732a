package dev.ropewalk.fibers.internal.task;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.internal.boot.HelperThreads;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.FiberMessages;
import dev.ropewalk.fibers.internal.fiber.Outcome;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.report.DumpTaker;
import dev.ropewalk.fibers.internal.report.DumpText;
import dev.ropewalk.fibers.scheduler.ShutdownReport;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The end of a scheduler, in steps: drain, terminate, abandon, and leave behind what is stuck; each
 * has a limit, and the report says which limit each needed.
 *
 * <p>The steps run on a thread of their own, so that they go on if the closing fiber is abandoned;
 * the closer only waits for the report.
 */
final class SchedulerShutdown {
    private static final Log LOG = Logs.logger(SchedulerShutdown.class);

    /** The time that a cord has beyond its stop limit before it counts as stuck. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(1);

    private static final int STACK_LINES = 8;

    private final SchedulerImpl scheduler;

    /** Opened when draining is over: all is quiet, or a limit has passed. */
    private final CountDownLatch drained = new CountDownLatch(1);

    /** Opened when all tasks have ended, whatever it took. */
    private final CountDownLatch tasksEnded = new CountDownLatch(1);

    private final Queue<WaitCell> closers = new ConcurrentLinkedQueue<>();

    /**
     * Tasks that this has terminated, or that were ended or refused meanwhile. A task that was on
     * its way from one cord's queue to another one is in one of these.
     */
    private final Set<FiberImpl<?>> endedByThis = ConcurrentHashMap.newKeySet();

    /** Of these the ones that ran when they were terminated. */
    private final Set<FiberImpl<?>> terminated = ConcurrentHashMap.newKeySet();

    private final Queue<String> abandoned = new ConcurrentLinkedQueue<>();
    private final Queue<String> failed = new ConcurrentLinkedQueue<>();
    private final List<String> stuck = new ArrayList<>();
    private volatile @Nullable ShutdownReport report;

    SchedulerShutdown(SchedulerImpl scheduler) {
        this.scheduler = scheduler;
    }

    // ---------------------------------------------------------------- the closer

    ShutdownReport run(long limitNs) {
        WaitCell waiter = new WaitCell(); // first: it refuses a caller that cannot wait
        closers.add(waiter);
        if (scheduler.beginDraining()) {
            begin();
        }
        try {
            FiberImpl<?> closer = FiberImpl.currentOrNull();
            if (closer == null) {
                await(waiter, limitNs);
            } else {
                Cancellation.shielded(closer, () -> await(waiter, limitNs));
            }
        } finally {
            closers.remove(waiter);
            if (report == null) {
                drained.countDown(); // its limit is not waited for any more
            }
        }
        ShutdownReport told = report;
        if (told == null) {
            throw new IllegalStateException("no report of the end of " + scheduler);
        }
        return told;
    }

    private void begin() {
        if (scheduler.ownCords().isEmpty() && scheduler.isQuiet()) {
            end(); // also on a virtual clock, where nothing can be awaited from outside
        } else {
            HelperThreads.unstarted("end of " + scheduler, this::end).start();
        }
    }

    /** Without a wait, because the scheduler could not be started. */
    void beginAtOnce() {
        if (scheduler.beginDraining()) {
            drained.countDown();
            begin();
        }
    }

    private boolean await(WaitCell first, long limitNs) {
        if (report != null || first.await(reason(), limitNs) != Waits.TIMED_OUT) {
            return true;
        }
        drained.countDown();
        WaitCell second = new WaitCell();
        closers.add(second);
        try {
            return report != null || second.await(reason()) == null;
        } finally {
            closers.remove(second);
        }
    }

    private String reason() {
        return "the end of " + scheduler;
    }

    // ---------------------------------------------------------------- the steps

    private void end() {
        try {
            tellIfQuiet();
            drained.await();
            scheduler.state(SchedulerImpl.State.DRAINING, SchedulerImpl.State.STOPPING);
            if (!scheduler.isQuiet()) {
                endTasks();
            }
            scheduler.ownCords().forEach(this::endCord);
            awaitCords();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // no other code knows this thread
        } catch (RuntimeException | Error broken) {
            LOG.error("the end of {} failed", scheduler, broken);
            throw broken;
        } finally {
            finish();
        }
    }

    /** Called with the end of each task, and when a thread is bound no more. */
    void tellIfQuiet() {
        if (scheduler.state() == SchedulerImpl.State.OPEN || !scheduler.hasNoTasks()) {
            return;
        }
        tasksEnded.countDown();
        if (scheduler.isQuiet()) {
            drained.countDown();
        }
    }

    private void endCord(CordImpl cord) {
        FiberImpl<?> root = cord.root();
        root.raiseAnyway(new Unwind.Terminate(scheduler + " ends, and " + root + " with it"));
    }

    private void endTasks() throws InterruptedException {
        for (TaskQueue each : scheduler.workers.queues()) {
            endedByThis.addAll(each.snapshot());
        }
        for (CordImpl cord : scheduler.ownCords()) {
            cord.send(FiberMessages.quiet(() -> endTasksOn(cord)));
        }
        endedByThis.forEach(FiberImpl::terminate);
        List<CordImpl> bound = scheduler.bound();
        if (!bound.isEmpty()) {
            endTasksOf(bound);
        }
    }

    /** Their threads are the users', so they go on when the tasks have ended or are abandoned. */
    private void endTasksOf(List<CordImpl> bound) throws InterruptedException {
        long startNs = RealPlatform.now();
        long limitNs = scheduler.stopLimitNs();
        ask(bound, this::endTasksOn, limitNs);
        tellIfQuiet();
        long leftNs = Math.max(0, limitNs - (RealPlatform.now() - startNs));
        if (!tasksEnded.await(leftNs, TimeUnit.NANOSECONDS)) {
            ask(bound, this::abandonTasksOn, GRACE_NS);
        }
    }

    /** Bound cords that do not poll their messages within the limit are reported. */
    private void ask(List<CordImpl> bound, Consumer<CordImpl> question, long limitNs)
            throws InterruptedException {
        CountDownLatch answers = new CountDownLatch(bound.size());
        for (CordImpl cord : bound) {
            cord.send(new Question(cord, question, answers));
        }
        if (!answers.await(limitNs, TimeUnit.NANOSECONDS)) {
            LOG.warn("{}: not every bound thread has looked at its messages", scheduler);
        }
    }

    /** To a bound thread, which may unbind before it polls. */
    private static final class Question extends CordMessage {
        private final CordImpl cord;
        private final Consumer<CordImpl> question;
        private final CountDownLatch answer;

        Question(CordImpl cord, Consumer<CordImpl> question, CountDownLatch answer) {
            this.cord = cord;
            this.question = question;
            this.answer = answer;
        }

        @Override
        public void onCord() {
            try {
                question.accept(cord);
            } finally {
                answer.countDown();
            }
        }

        @Override
        public void onClosed() {
            answer.countDown();
        }
    }

    /** On that cord. */
    private void endTasksOn(CordImpl cord) {
        for (FiberImpl<?> each : cord.roster.tasksHere()) {
            endedByThis.add(each);
            if (each.rawState() != FiberImpl.UNSTARTED) {
                terminated.add(each);
            }
            each.terminate();
        }
    }

    /** On that cord. */
    private void abandonTasksOn(CordImpl cord) {
        String why = "the limit of " + scheduler.stopLimitNs() / 1_000_000 + " ms of " + scheduler;
        for (FiberImpl<?> each : cord.roster.tasksHere()) {
            Abandonment.abandonBelow(each, why + " for its end ran out");
        }
    }

    /** A task has ended while all are being ended; on its cord, or wherever it was refused. */
    void noteEnded(FiberImpl<?> task) {
        if (!hasBegun(task) || task.outcome() instanceof Outcome.Terminated<?>) {
            endedByThis.add(task);
        }
    }

    void noteFailed(String text) {
        failed.add(text);
    }

    void noteAbandoned(FiberImpl<?> fiber) {
        if (scheduler.state() == SchedulerImpl.State.STOPPING) {
            abandoned.add(fiber.name());
        }
    }

    private void awaitCords() {
        long stopLimitNs = scheduler.stopLimitNs();
        long limitNs = Math.min(stopLimitNs, Long.MAX_VALUE - GRACE_NS) + GRACE_NS;
        long startNs = RealPlatform.now();
        for (CordImpl cord : scheduler.ownCords()) {
            long leftNs = Math.max(0, limitNs - (RealPlatform.now() - startNs));
            if (!cord.end.await(reason(), leftNs)) {
                stuck.add(DumpText.ofStuck(DumpTaker.ofStuck(cord), STACK_LINES));
                TaskQueue tasks = TaskQueue.of(cord);
                if (tasks != null) {
                    tasks.refuseAll();
                }
            }
        }
    }

    private void finish() {
        ShutdownReport all =
                new ShutdownReport(
                        names(each -> !hasBegun(each)),
                        names(this::wasTerminated),
                        List.copyOf(abandoned),
                        stuck,
                        scheduler.bound().stream().map(CordImpl::name).toList(),
                        List.copyOf(failed),
                        scheduler.readStats().alive());
        report = all;
        endedByThis.clear();
        terminated.clear();
        if (scheduler.state() == SchedulerImpl.State.STOPPING) {
            scheduler.state(SchedulerImpl.State.STOPPING, SchedulerImpl.State.OVER);
        } else {
            scheduler.giveUp();
        }
        if (!all.isClean()) {
            LOG.warn("{} did not stop by itself: {}", scheduler, all);
        }
        closers.forEach(each -> each.give(null));
    }

    private List<String> names(Predicate<FiberImpl<?>> which) {
        return endedByThis.stream().filter(which).map(FiberImpl::name).toList();
    }

    /** A cord may have started it between the reading of its queue and its end. */
    private boolean wasTerminated(FiberImpl<?> task) {
        boolean isEnded = task.outcome() instanceof Outcome.Terminated<?>;
        return hasBegun(task) && (isEnded || terminated.contains(task));
    }

    private static boolean hasBegun(FiberImpl<?> task) {
        return task.taskSlot != null && SchedulerSlot.of(task).hasBegun();
    }
}
