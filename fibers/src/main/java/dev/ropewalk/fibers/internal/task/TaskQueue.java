package dev.ropewalk.fibers.internal.task;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.TaskSource;
import dev.ropewalk.fibers.internal.fiber.Ending;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.FiberMessages;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * The tasks that were placed on one cord of a scheduler, oldest first (rule F15): the cord takes
 * them in its turn, idle cords steal them, and an entry that was claimed in another way is dropped
 * when it comes to the head.
 *
 * <p>A fiber of the cord that snoozes stands in the queue as well, because it yields to the tasks
 * too; otherwise a fiber that places tasks and snoozes would be alone on the cord, except for a
 * task with each poll, and the queue would grow for ever. Its place names one wait: the taker,
 * which may be a thief, ends that wait; a place whose wait is over has no effect. The cord takes
 * all places at the head at once, so a queue without tasks is soon empty.
 *
 * <p>Members without a note belong to the cord alone.
 */
public final class TaskQueue implements TaskSource {
    private static final Log LOG = Logs.logger(TaskQueue.class);

    /** Tasks that are started before those have had a turn that were started before them. */
    private static final int MAX_AT_ONCE = 1_024;

    public final SchedulerImpl scheduler;
    final CordImpl cord;

    /** Those of this cord. */
    final TaskCounts.Stripe counts;

    /** Fibers that are tasks, and places of fibers that snooze. */
    private final ConcurrentLinkedQueue<Object> waiting = new ConcurrentLinkedQueue<>();

    /** Nothing is taken from here any more. Set before the rest is handed on. */
    private volatile boolean isClosed;

    /** Started here and not ended. */
    private int alive;

    /** The drain limit has passed: nothing more is started here. */
    private boolean isGivenUp;

    /** Fibers that snooze in the queue, and those that were abandoned there. */
    private int snoozing;

    /** The wait of the fiber that waits until there are no tasks. */
    private @Nullable FiberImpl<?> drainer;

    private long drainNumber;

    TaskQueue(SchedulerImpl scheduler, CordImpl cord) {
        this.scheduler = scheduler;
        this.cord = cord;
        this.counts = scheduler.counts.newStripe();
    }

    /** Null if the cord is no scheduler's. */
    public static @Nullable TaskQueue of(CordImpl cord) {
        return (TaskQueue) cord.tasks;
    }

    /** Of the calling cord; null if that is none of the scheduler's. */
    static @Nullable TaskQueue ofCaller(SchedulerImpl scheduler) {
        CordImpl here = CordImpl.currentOrNull();
        TaskQueue own = here == null ? null : of(here);
        return own != null && own.scheduler == scheduler ? own : null;
    }

    // ---------------------------------------------------------------- from any thread

    /** Whether the scheduler started the cord; otherwise its thread is bound. */
    boolean isOfOwnCord() {
        return cord.ownThread != null;
    }

    /** The caller wakes a cord. */
    void add(FiberImpl<?> task) {
        waiting.add(task);
        if (isClosed && waiting.remove(task)) { // others' are theirs to hand on
            handOn(task);
        }
    }

    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    @Override
    public int size() {
        int tasks = 0;
        for (Object each : waiting) {
            tasks += each instanceof Snooze ? 0 : 1;
        }
        return tasks;
    }

    @Override
    public boolean isAnyWaiting() {
        if (!canTake()) {
            return false;
        }
        if (cord.roster.isFull()) {
            return isWaiting(); // tasks of other cords are not for this cord
        }
        for (TaskQueue each : scheduler.workers.queues()) {
            if (each.isWaiting()) {
                return true;
            }
        }
        return false;
    }

    /** Of the tasks that have not started; a snapshot. */
    List<FiberImpl<?>> snapshot() {
        List<FiberImpl<?>> tasks = new ArrayList<>();
        for (Object each : waiting) {
            if (each instanceof FiberImpl<?> task && task.cordOrNull() == null) {
                tasks.add(task);
            }
        }
        return tasks;
    }

    /**
     * The cord takes no more tasks. The rest goes to other cords; without another cord, this one
     * starts it while it drains, and later it is refused.
     */
    void close() {
        isClosed = true;
        empty(this::handOn);
    }

    /**
     * The cord has ended, perhaps without a close. If there was one, the tasks that are here now
     * were added after it, by threads that will find it closed, and may have a cord to start them
     * on.
     */
    void closeAtEnd() {
        if (!isClosed) {
            close();
        }
    }

    /** Refuses the tasks that wait on a stuck cord, which may never run anything again. */
    void refuseAll() {
        isClosed = true;
        empty(task -> new Refusal(task).onCord());
    }

    /** For the body of a bound thread that is restarted. */
    void reopen() {
        isClosed = false;
        isGivenUp = false;
    }

    boolean isGivenUp() {
        return isGivenUp;
    }

    /** Whether the cord may start a task now. Its own answer counts; to others it is a hint. */
    boolean canTake() {
        return !isClosed && mayStart();
    }

    /** Fibers that snooze here go on. */
    private void empty(Consumer<FiberImpl<?>> taker) {
        for (Object entry = waiting.poll(); entry != null; entry = waiting.poll()) {
            if (entry instanceof FiberImpl<?> task) {
                taker.accept(task);
            } else if (entry instanceof Snooze snooze) {
                snooze.endFromAnywhere();
            }
        }
    }

    private void handOn(FiberImpl<?> task) {
        if (task.cordOrNull() == null && !scheduler.placeAgainOrStart(task)) {
            cord.send(new Refusal(task)); // by the cord: this may be any thread
        }
    }

    private final class Refusal extends CordMessage {
        private final FiberImpl<?> task;

        Refusal(FiberImpl<?> task) {
            this.task = task;
        }

        /** A cord that still drains starts it rather. */
        @Override
        public void onCord() {
            if (scheduler.startHere(task)) {
                return;
            }
            Collection<CordMessage> notes = claim(task);
            if (notes != null) {
                tell(notes);
                if (task.outcome() == null) {
                    Ending.refuseStart(task, scheduler.noCord(task + " was not started: "));
                }
            }
        }

        @Override
        public void onClosed() {
            onCord();
        }
    }

    private @Nullable Collection<CordMessage> claim(FiberImpl<?> task) {
        Collection<CordMessage> notes = SchedulerSlot.of(task).claim(cord);
        if (notes != null) {
            task.cord = cord;
            scheduler.counts.claimed();
        }
        return notes;
    }

    private static void tell(Collection<CordMessage> notes) {
        for (CordMessage each : notes) {
            try {
                each.onCord();
            } catch (Throwable broken) {
                Logs.tellBroken(LOG, broken, "a message to a task failed: {}", each);
            }
        }
    }

    // ---------------------------------------------------------------- on the cord

    @Override
    public boolean startNext() {
        scheduler.tellIfQuiet();
        return startFrom(this);
    }

    @Override
    public boolean steal() {
        TaskQueue[] all = scheduler.workers.queues();
        if (all.length < 2 || !canTake() || cord.roster.isFull()) {
            return false;
        }
        int first = cord.nextInt(all.length);
        for (int i = 0; i < all.length; i++) {
            TaskQueue victim = all[(first + i) % all.length];
            if (victim != this && victim.isWaiting() && startFrom(victim)) {
                scheduler.counts.stolen();
                return true;
            }
        }
        return false;
    }

    private boolean startFrom(TaskQueue from) {
        if (!mayStart()) {
            endSnoozes(); // no cord takes them any more
            return false;
        }
        for (; ; ) {
            if (from == this && endSnoozesAtHead()) {
                return true;
            }
            Object entry = from.waiting.poll();
            if (entry instanceof FiberImpl<?> task) {
                boolean isPassedOn =
                        cord.roster.isFull()
                                && task.cordOrNull() == null
                                && scheduler.workers.passOn(task, this);
                if (!isPassedOn && start(task)) {
                    return true;
                }
            } else if (entry instanceof Snooze snooze) {
                snooze.endFromAnywhere();
                return from == this; // a thief leaves those behind it to their cord
            } else {
                return false;
            }
        }
    }

    /** A task of a queue that is closed and drained is started all the same. */
    private boolean mayStart() {
        return !cord.root().isEnding() && cord.roster.isInitialised();
    }

    @Override
    public boolean hasWork() {
        return isWaiting() && mayStart();
    }

    /** Starts it now, out of turn; false if this cord may not, or another one has claimed it. */
    boolean startAwaited(FiberImpl<?> task) {
        return canTake() && !cord.roster.isFull() && start(task);
    }

    /** Makes the task a fiber of this cord; false if another cord has claimed it. */
    boolean start(FiberImpl<?> task) {
        Collection<CordMessage> notes = claim(task);
        if (notes == null) {
            return false;
        }
        if (cord.roster.isFull()) {
            tell(notes);
            if (task.outcome() == null) {
                Ending.refuseStart(task, cord.roster.tooMany(task));
            }
            return false;
        }
        alive++;
        countIn(task);
        cord.roster.enterTask(task);
        if (!notes.isEmpty()) {
            tell(notes);
        }
        return true;
    }

    private static void countIn(FiberImpl<?> task) {
        SchedulerSlot.of(task).isCounted = true;
    }

    // ---------------------------------------------------------------- fibers that snooze

    /** The place of a fiber in the queue, for one of its waits, and the reason of that wait. */
    private record Snooze(FiberImpl<?> fiber, long number) {
        /** On the fiber's cord: it has its turn, unless the wait is over. */
        boolean end() {
            return fiber.resume(number, null);
        }

        void endFromAnywhere() {
            if (fiber.isHere()) {
                end();
            } else {
                fiber.send(FiberMessages.quiet(this::end));
            }
        }

        @Override
        public String toString() {
            return "its turn behind tasks";
        }
    }

    @Override
    public boolean isInFront() {
        return isWaiting() && canTake();
    }

    @Override
    public boolean yieldBehind(FiberImpl<?> fiber) {
        Snooze place = new Snooze(fiber, fiber.nextWaitNumber());
        waiting.add(place);
        if (isClosed && waiting.remove(place)) {
            return false;
        }
        snoozing++;
        try {
            fiber.park(WaitKind.LIBRARY, place);
            return true;
        } catch (StackPinnedException pinned) {
            waiting.remove(place); // a fiber that catches it and tries again would fill the queue
            throw pinned;
        } finally {
            snoozing--;
        }
    }

    /**
     * The fibers at the head have their turn, because no task waits in front of them: the next
     * fiber that snoozes would join a queue of fibers alone, for ever. Each has its turn before it
     * is taken out: on a stack that is full either may fail.
     */
    private boolean endSnoozesAtHead() {
        boolean isAnyEnded = false;
        while (waiting.peek() instanceof Snooze place) {
            isAnyEnded |= place.end();
            waiting.remove(place);
        }
        return isAnyEnded;
    }

    private void endSnoozes() {
        if (snoozing == 0) {
            return;
        }
        for (Object each : waiting) {
            if (each instanceof Snooze place) {
                place.end();
                waiting.remove(place);
            }
        }
    }

    // ---------------------------------------------------------------- for the cord

    @Override
    public void countSleeper(boolean isAsleep) {
        scheduler.workers.countSleeper(isAsleep);
        scheduler.tellIfQuiet();
    }

    @Override
    public void wakeSleeperIfWaiting() {
        scheduler.workers.wakeSleeperIfWaiting();
    }

    @Override
    public void noteAbandoned(FiberImpl<?> fiber) {
        scheduler.noteAbandoned(fiber);
    }

    @Override
    public void cordEnded() {
        scheduler.leave(this);
    }

    @Override
    public Object scheduler() {
        return scheduler;
    }

    // ---------------------------------------------------------------- until there are none

    /** A task that was started here has ended. */
    void ended() {
        alive--;
        FiberImpl<?> waiter = drainer;
        if (alive == 0 && waiter != null) {
            waiter.resume(drainNumber, null);
        }
    }

    /**
     * Waits, as the current fiber, until no task is here. All tasks that wait are started, so that
     * no task is behind the waiting fiber.
     *
     * @return false if the limit passed first
     */
    boolean drain(long limitNanos) {
        FiberImpl<?> me = FiberImpl.current();
        long startNs = cord.nanoTime();
        boolean inTime = true;
        while (inTime && (startAll() || alive > 0)) {
            if (alive == 0) {
                continue; // a fiber that snoozed goes on by itself, and its end is not told here
            }
            long leftNs = Math.max(0, limitNanos - (cord.nanoTime() - startNs));
            drainer = me;
            drainNumber = me.nextWaitNumber();
            inTime = me.parkFor(WaitKind.LIBRARY, this, leftNs) != Waits.TIMED_OUT;
            drainer = null;
        }
        isGivenUp = !inTime;
        return inTime;
    }

    /** Not for ever, while others place more. */
    private boolean startAll() {
        int started = 0;
        while (started < MAX_AT_ONCE && startNext()) {
            started++;
        }
        return started > 0;
    }

    @Override
    public String toString() {
        return "the tasks on " + cord;
    }
}
