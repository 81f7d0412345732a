package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.platform.IdleSpin;
import dev.ropewalk.fibers.internal.platform.Platform;
import dev.ropewalk.fibers.internal.reactor.Reactor;
import dev.ropewalk.fibers.internal.report.DeadlockReport;
import dev.ropewalk.fibers.internal.report.SilentCord;
import dev.ropewalk.fibers.internal.timer.Timer;
import dev.ropewalk.fibers.internal.watch.Ticker;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The behavior of a cord when nothing is runnable: it steals a task, spins, and sleeps.
 *
 * <p>Confined to the cord's thread.
 */
public final class IdleWait {
    /**
     * Of the polls while idle, every how many one polls the reactor, which is a system call, and
     * tries to steal, which reads what others write.
     */
    private static final int SELDOM = 8;

    private final CordImpl cord;
    private final Platform platform;

    /**
     * How long a cord without a timer is idle before it is seen whether all wait for each other.
     */
    private final long silenceNs;

    /** Not a scheduler's cord, whose tasks come from others. */
    private final boolean watchesSilence;

    private final IdleSpin spin;

    /**
     * Made once: to be idle allocates nothing, because there may be no memory. Neither these nor
     * the spin's are lambdas, whose first use takes longer: each process waits for its first cord.
     */
    private final BooleanSupplier findsWork =
            new BooleanSupplier() {
                @Override
                public boolean getAsBoolean() {
                    return findsWork();
                }
            };

    private final BooleanSupplier hasWork =
            new BooleanSupplier() {
                @Override
                public boolean getAsBoolean() {
                    return hasWork();
                }
            };

    /** Polls while idle, see {@link #SELDOM}. */
    private int idlePolls;

    /** It had nothing to do, and has not taken a task since. */
    private boolean wasIdle;

    /** It has been told, or found not to be so, that all wait for each other; until one runs. */
    private boolean isSilenceSeen;

    private long sleeps;
    private long sleptNs;

    /** Of the last sleep. */
    private long asleepSinceNs;

    IdleWait(CordImpl cord) {
        this.cord = cord;
        this.platform = cord.platform;
        this.spin = newSpin();
        this.silenceNs = Waits.nanos(cord.options.watch().stuckLimit());
        this.watchesSilence =
                silenceNs != Long.MAX_VALUE
                        && cord.tasks == null
                        && !platform.isVirtual()
                        && !cord.inTurns;
    }

    private IdleSpin newSpin() {
        LongSupplier clock =
                new LongSupplier() {
                    @Override
                    public long getAsLong() {
                        return platform.nanoTime();
                    }
                };
        Runnable giveUpCpu =
                new Runnable() {
                    @Override
                    public void run() {
                        giveUpCpu();
                    }
                };
        return new IdleSpin(clock, giveUpCpu);
    }

    /** Returns when there may be something to do. */
    void idle() {
        cord.loop.untilPoll++; // it was counted as a switch, and no fiber was runnable
        cord.loop.pollWithIo();
        if (hasRunnable() || cord.mount.isStackReady()) {
            isSilenceSeen = false;
            return;
        }
        wasIdle = true;
        TaskSource tasks = cord.tasks;
        if (tasks != null && tasks.steal()) {
            wakeAnother(tasks);
            return;
        }
        if (cord.loop.hooks != null) {
            cord.loop.hooks.showThreadsOwn(); // callbacks of the reactor run meanwhile, as no fiber
        }
        Timer next = cord.timers.earliest();
        if (platform.isVirtual()) {
            if (next == null && cord.mail.inbox.isEmpty() && !platform.isAnyEventToCome()) {
                reportDeadlock();
                return;
            }
        } else if (spinForWork(next)) {
            isSilenceSeen = false;
            cord.loop.poll();
            wakeForRest();
            return;
        }
        sleep(next);
    }

    private void sleep(@Nullable Timer next) {
        long sinceNs = platform.nanoTime();
        boolean isNewSilence =
                next == null && watchesSilence && !isSilenceSeen && SilentCord.mayBeOn(cord);
        long untilNs = next == null ? sinceNs + silenceNs : wakeTime(next.deadlineNs);
        asleepSinceNs = sinceNs;
        setAsleep(true);
        try {
            platform.park(next != null || isNewSilence, untilNs, hasWork);
        } finally {
            setAsleep(false);
        }
        sleeps++;
        long nowNs = platform.nanoTime();
        sleptNs += nowNs - sinceNs;
        spin.slept(nowNs - sinceNs, next == null || nowNs - next.deadlineNs < 0);
        if (!platform.isVirtual()) {
            Ticker.INSTANCE.cordBecameBusy();
        }
        cord.loop.tick(nowNs);
        cord.loop.poll();
        wakeForRest();
        isSilenceSeen &= !hasRunnable();
        if (isNewSilence && !hasRunnable() && nowNs - untilNs >= 0) {
            isSilenceSeen = true;
            SilentCord.report(cord, Duration.ofNanos(nowNs - sinceNs));
        }
    }

    private boolean hasRunnable() {
        return cord.loop.hasRunnable();
    }

    private long wakeTime(long deadlineNs) {
        return platform.isVirtual() ? deadlineNs : spin.wakeTime(deadlineNs);
    }

    private void setAsleep(boolean on) {
        cord.mail.activity(on ? Mail.Activity.ASLEEP : Mail.Activity.BUSY);
        if (cord.tasks != null) {
            cord.tasks.countSleeper(on);
        }
    }

    /** Read after the cord is marked as asleep: a thread that gives it work does so before. */
    private boolean hasWork() {
        return !cord.mail.inbox.isEmpty() || (cord.tasks != null && cord.tasks.isAnyWaiting());
    }

    private void reportDeadlock() {
        FiberImpl<?> root = cord.roster.root;
        DeadlockException deadlock = new DeadlockException(DeadlockReport.of(List.of(cord)));
        if (root.isEnding()) {
            throw deadlock; // only the caller of run is left to be told
        }
        root.raiseHere(deadlock);
        if (!hasRunnable()) {
            throw deadlock; // a shield holds it off, for ever
        }
    }

    // ---------------------------------------------------------------- spinning

    /**
     * Its thread may have to wait long for the CPU, which must not be taken for a fiber that does
     * not yield.
     */
    @SuppressWarnings("ThreadPriorityCheck") // it yields to threads of which it knows nothing
    private void giveUpCpu() {
        Mail.Activity before = cord.mail.activity();
        cord.mail.activity(Mail.Activity.SPINNING);
        Thread.yield();
        cord.mail.activity(before);
    }

    private boolean spinForWork(@Nullable Timer next) {
        boolean timed = next != null;
        long deadlineNs = next == null ? 0 : next.deadlineNs;
        return cord.tasks == null
                ? spin.find(findsWork, timed, deadlineNs)
                : spinForTasks(cord.tasks, timed, deadlineNs);
    }

    /** A message, I/O, a task that waits here, or one that was stolen. */
    private boolean findsWork() {
        if (cord.mail.inbox.peek() != null) {
            return true;
        }
        TaskSource own = cord.tasks;
        if (own != null && own.hasWork()) {
            return true;
        }
        if (++idlePolls % SELDOM != 0) {
            return false;
        }
        Reactor io = platform.reactor();
        return (io != null && io.poll() > 0) || (own != null && own.steal());
    }

    /** A task is placed on a cord that spins rather than elsewhere: it costs no wake-up. */
    private boolean spinForTasks(TaskSource own, boolean timed, long deadlineNs) {
        cord.mail.activity(Mail.Activity.SPINNING);
        boolean found = spin.find(findsWork, timed, deadlineNs);
        cord.mail.activity(Mail.Activity.BUSY);
        if (hasRunnable()) {
            wakeAnother(own);
        }
        return found;
    }

    // ---------------------------------------------------------------- tasks

    /**
     * A cord that polled for work has found some: if there is more, it wakes another cord for it,
     * and so on. Placing a task on a cord that spins wakes no cord, and there may be several tasks.
     */
    void wakeAnother(TaskSource from) {
        if (wasIdle) {
            wasIdle = false;
            from.wakeSleeperIfWaiting();
        }
    }

    /**
     * It may run fibers for long before it takes the task for which it was woken, from anywhere.
     */
    private void wakeForRest() {
        if (cord.tasks != null && hasRunnable()) {
            wakeAnother(cord.tasks);
        }
    }

    // ---------------------------------------------------------------- from any thread, a hint

    long sleeps() {
        return sleeps;
    }

    /** With the sleep that goes on. */
    Duration slept() {
        boolean isAsleep = cord.mail.activity() == Mail.Activity.ASLEEP && !platform.isVirtual();
        long nowNs = isAsleep ? Math.max(0, platform.nanoTime() - asleepSinceNs) : 0;
        return Duration.ofNanos(sleptNs + nowNs);
    }
}
