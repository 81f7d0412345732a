package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What a cord does between its fibers: it polls inbox and timers, takes tasks of its scheduler,
 * spins, and sleeps.
 *
 * <p>Confined to the cord's thread.
 */
abstract sealed class CordLook extends CordCore permits CordMount {
    /*
     * A poll (rules F1 to F3) comes after POLL_INTERVAL switches or at the first switch after the
     * ticker's mark, whatever wakes whom. Rejected: polling only when the run queue is empty, which
     * starves timers beside two fibers that wake each other. On virtual threads only the root frame
     * polls: a message or a log line may block there, and a worker that is blocked between two
     * fibers would be nobody's.
     *
     * Tasks of a scheduler (rule F15) come when the run queue is empty, and one with each poll, so
     * that fibers that wake each other for ever do not keep them out; others' only before the thread
     * sleeps. A task that was taken is an entry of the run queue like any new fiber.
     */

    /** Messages taken from the inbox in one poll, so that a flood of them cannot starve fibers. */
    private static final int INBOX_BATCH = 1_024;

    /**
     * Of the polls while idle, every how many one tries to steal: it reads what other cords write.
     */
    private static final int STEAL_EVERY = 8;

    /**
     * How long a cord without a timer is idle before it is seen whether all wait for each other.
     */
    private final long silenceNs;

    /** Not a scheduler's cord, whose tasks come from others. */
    private final boolean watchesSilence;

    private final IdleSpin idleSpin;

    /** Made once: to be idle allocates nothing, for there may be no memory. */
    private final BooleanSupplier findsWork = this::findsWork;

    private final BooleanSupplier hasWork = this::hasWork;

    /** Polls while idle, see {@link #STEAL_EVERY}. */
    private int idlePolls;

    /** It had nothing to do, and has not taken a task since. */
    private boolean wasIdle;

    /** It has been told, or found not to be so, that all wait for each other; until one runs. */
    private boolean isSilenceSeen;

    /**
     * Up to the last poll: what came since is POLL_INTERVAL - looksAfter, so no switch is counted.
     */
    long switches;

    long messages;
    long sleeps;
    long sleptNs;
    int maxRunnable;

    CordLook(CordOptions options, Platform platform, @Nullable Scheduler scheduler) {
        super(options, platform, scheduler);
        this.idleSpin = new IdleSpin(platform::nanoTime, this::giveUpCpu);
        this.silenceNs = Waits.nanos(options.watch().stuckLimit());
        this.watchesSilence =
                silenceNs != Long.MAX_VALUE && tasks == null && !platform.isVirtual() && !inTurns;
    }

    /** Whether a stack of no fiber can go on, which only the root frame can enter. */
    abstract boolean isStackReady();

    // ---------------------------------------------------------------- polls

    /**
     * Counts a switch that needed no other stack, and polls if it is time; true if it is time but
     * the caller has to yield to the root frame for it, because a poll runs what may block.
     */
    boolean isPollDueAfterSwitch() {
        if (--untilPoll <= 0 || marked) {
            if (onVirtualThreads || inTurns) {
                return true;
            }
            pollInTurn();
        }
        return false;
    }

    /** True if the root frame is to poll, which counts the switch then; else it is counted here. */
    final boolean isPollDue() {
        if (untilPoll <= 1 || marked) {
            return true;
        }
        untilPoll--;
        return false;
    }

    final void pollInTurn() {
        pollInTurn(running);
    }

    /**
     * As no fiber: a message cannot wait as the one that happened to run, which runs again after
     * it.
     */
    final void pollInTurn(@Nullable Fiber<?> interrupted) {
        running = null;
        try {
            poll(interrupted);
            // So that fibers which wake each other for ever do not keep tasks out.
            if (tasks != null && (interrupted != null || hasRunnable())) {
                tasks.startNext();
            }
        } finally {
            running = interrupted;
        }
    }

    private void poll(@Nullable Fiber<?> interrupted) {
        switches += POLL_INTERVAL - untilPoll;
        polls++;
        untilPoll = POLL_INTERVAL;
        marked = false;
        mayTurnBeOver = countsCalls;
        if (hooks == null) {
            messages += inbox.drain(INBOX_BATCH);
        } else if (!inbox.isEmpty()) {
            drainWithout(hooks, interrupted);
        }
        if (!timers.isEmpty()) {
            timers.fireDue(platform.nanoTime());
        }
        maxRunnable = Math.max(maxRunnable, runQueue.size());
        runQueue.forgetTaken();
    }

    /** Messages are no fiber's, and see no fiber's context. */
    private void drainWithout(SwitchHooks context, @Nullable Fiber<?> interrupted) {
        if (interrupted != null) {
            context.keep(interrupted);
        }
        context.showThreadsOwn();
        messages += inbox.drain(INBOX_BATCH);
        if (interrupted != null) {
            context.show(interrupted);
        }
    }

    // ---------------------------------------------------------------- tasks

    /**
     * Puts a task, or a fiber that snoozed behind tasks, into the empty run queue if there is one.
     */
    final void startTask(TaskQueue from) {
        running = null; // what was sent to the task is done as no fiber
        if (from.startNext()) {
            wakeAnother(from);
        }
    }

    /**
     * A cord that polled for work has found some: if there is more, another one is woken for it,
     * and so on. Who places a task on a cord that spins wakes nobody, and there may be several.
     */
    private void wakeAnother(TaskQueue from) {
        if (wasIdle) {
            wasIdle = false;
            from.scheduler.workers.wakeSleeperIfWaiting();
        }
    }

    /** It may run fibers for long before it takes the task that was placed here meanwhile. */
    private void wakeForRest() {
        if (tasks != null && hasRunnable() && tasks.isWaiting()) {
            wakeAnother(tasks);
        }
    }

    // ---------------------------------------------------------------- nothing to run

    final void idle() {
        untilPoll++; // it was counted as a switch, and there was nobody
        poll(null);
        if (hasRunnable() || isStackReady()) {
            isSilenceSeen = false;
            return;
        }
        wasIdle = true;
        if (tasks != null && tasks.steal()) {
            wakeAnother(tasks);
            return;
        }
        Timer next = timers.earliest();
        if (platform.isVirtual()) {
            if (next == null && inbox.isEmpty()) {
                reportDeadlock();
                return;
            }
        } else if (spinForWork(next)) {
            isSilenceSeen = false;
            poll(null);
            wakeForRest();
            return;
        }
        if (hooks != null) {
            hooks.showThreadsOwn();
        }
        long sinceNs = platform.nanoTime();
        boolean isNewSilence =
                next == null && watchesSilence && !isSilenceSeen && SilentCord.mayBeOn(self());
        long untilNs = next == null ? sinceNs + silenceNs : wakeTime(next.deadlineNs);
        setAsleep(true);
        try {
            platform.park(next != null || isNewSilence, untilNs, hasWork);
        } finally {
            setAsleep(false);
        }
        sleeps++;
        long nowNs = platform.nanoTime();
        sleptNs += nowNs - sinceNs;
        idleSpin.slept(nowNs - sinceNs, next == null || nowNs - next.deadlineNs < 0);
        if (!platform.isVirtual()) {
            Ticker.INSTANCE.cordBecameBusy();
        }
        poll(null);
        wakeForRest();
        isSilenceSeen &= !hasRunnable();
        if (isNewSilence && !hasRunnable() && nowNs - untilNs >= 0) {
            isSilenceSeen = true;
            SilentCord.report(self(), Duration.ofNanos(nowNs - sinceNs));
        }
    }

    private long wakeTime(long deadlineNs) {
        return platform.isVirtual() ? deadlineNs : idleSpin.wakeTime(deadlineNs);
    }

    private void setAsleep(boolean on) {
        activity = on ? Activity.ASLEEP : Activity.BUSY;
        if (tasks != null) {
            tasks.scheduler.workers.countSleeper(on);
        }
    }

    /** Read after the cord has been marked as asleep: who gives it work does so before it polls. */
    private boolean hasWork() {
        return !inbox.isEmpty() || (tasks != null && tasks.isAnyWaiting());
    }

    private void reportDeadlock() {
        DeadlockException deadlock = new DeadlockException(DeadlockReport.of(List.of(self())));
        if (root().isEnding()) {
            throw deadlock; // nobody is left to tell but the caller of run
        }
        root().raiseHere(deadlock);
        if (!hasRunnable()) {
            throw deadlock; // a shield holds it off, for ever
        }
    }

    /** Its thread may have to wait for the CPU, for long: that is no fiber that does not yield. */
    @SuppressWarnings("ThreadPriorityCheck") // it yields to threads of which it knows nothing
    private void giveUpCpu() {
        Activity before = activity;
        activity = Activity.SPINNING;
        Thread.yield();
        activity = before;
    }

    private boolean spinForWork(@Nullable Timer next) {
        return tasks == null ? idleSpin.find(findsWork, next) : spinForTasks(tasks, next);
    }

    /** A message, a task that waits here, or one that was stolen. */
    private boolean findsWork() {
        TaskQueue own = tasks;
        return !inbox.isEmpty()
                || (own != null
                        && (own.hasWork() || (++idlePolls % STEAL_EVERY == 0 && own.steal())));
    }

    /** Who places a task prefers a cord that spins, for it costs no wake-up. */
    private boolean spinForTasks(TaskQueue own, @Nullable Timer next) {
        activity = Activity.SPINNING;
        boolean found = idleSpin.find(findsWork, next);
        activity = Activity.BUSY;
        if (hasRunnable()) {
            wakeAnother(own);
        }
        return found;
    }
}
