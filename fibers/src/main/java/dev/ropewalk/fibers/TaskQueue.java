package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The tasks that were placed on one cord of a scheduler, oldest first (rule F15): the cord takes
 * them in its turn, idle cords steal them, and an entry that somebody has claimed otherwise is
 * dropped when it comes to the head.
 *
 * <p>A fiber of the cord that snoozes stands in the line as well, for who gives way means the tasks
 * too; else one that places tasks and snoozes would be alone on the cord, but for a task with each
 * look, and the line would grow for ever. Who takes such an entry, also a thief, gives its fiber
 * its turn. An entry that is left over from a snooze that was ended otherwise does no more than end
 * a later one early.
 *
 * <p>What has no note is the cord's alone.
 */
final class TaskQueue {
    private static final Logger LOG = LogTap.logger(TaskQueue.class);

    /** Tasks that are started before those have had a turn that were started before them. */
    private static final int MOST_AT_ONCE = 1_024;

    final Scheduler scheduler;
    final Cord cord;
    private final ConcurrentLinkedQueue<Fiber<?>> waiting = new ConcurrentLinkedQueue<>();

    /** Nothing is taken from here any more. Set before the rest is handed on. */
    private volatile boolean isClosed;

    /** Started here and not ended. */
    private int alive;

    /** The drain limit has passed: nothing more is started here. */
    private boolean isGivenUp;

    private final Behind behind = new Behind(this);

    /** Fibers that snooze in the line, and those that were abandoned there. */
    private int snoozing;

    /** The wait of who waits until there are none. */
    private @Nullable Fiber<?> drainer;

    private long drainNumber;

    TaskQueue(Scheduler scheduler, Cord cord) {
        this.scheduler = scheduler;
        this.cord = cord;
    }

    // ---------------------------------------------------------------- from any thread

    /** Whether the scheduler started the cord; else its thread is bound. */
    boolean isOfOwnCord() {
        return cord.ownThread != null;
    }

    /** The caller wakes somebody. */
    void add(Fiber<?> task) {
        waiting.add(task);
        if (isClosed && waiting.remove(task)) { // others' are theirs to hand on
            handOn(task);
        }
    }

    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** How many tasks wait, some of which may have been claimed; a hint, counted one by one. */
    int size() {
        return Math.max(0, waiting.size() - snoozing);
    }

    /** Whether this cord could find a task, of its own or of another cord. */
    boolean isAnyWaiting() {
        if (!canTake()) {
            return false;
        }
        if (cord.isFull()) {
            return isWaiting(); // others' are not for this one
        }
        for (TaskQueue each : scheduler.crew.queues()) {
            if (each.isWaiting()) {
                return true;
            }
        }
        return false;
    }

    /** Of those that nobody has started; a snapshot. */
    List<Fiber<?>> snapshot() {
        List<Fiber<?>> tasks = new ArrayList<>();
        for (Fiber<?> each : waiting) {
            if (each.cordOrNull() == null) {
                tasks.add(each);
            }
        }
        return tasks;
    }

    /**
     * The cord takes no more. What is left goes to other cords; if there is none, the one here
     * starts it while it drains, and later it is refused.
     */
    void close() {
        isClosed = true;
        handOn();
    }

    /**
     * The cord has ended, perhaps without a close. If there was one, what is here now was added
     * after it, by somebody who will find it closed, and may have a cord to start it on.
     */
    void closeAtEnd() {
        if (!isClosed) {
            close();
        }
    }

    /** What waits on a cord that is stuck: it runs nothing, and may never do so again. */
    void refuseAll() {
        isClosed = true;
        for (Fiber<?> entry = waiting.poll(); entry != null; entry = waiting.poll()) {
            if (entry.cordOrNull() == null) {
                new Refusal(entry).onCord();
            } else {
                endSnooze(entry);
            }
        }
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
        return !isClosed && !cord.root().isEnding() && cord.isInitialised();
    }

    private void handOn() {
        for (Fiber<?> entry = waiting.poll(); entry != null; entry = waiting.poll()) {
            handOn(entry);
        }
    }

    private void handOn(Fiber<?> entry) {
        if (entry.cordOrNull() != null) {
            endSnooze(entry);
        } else if (!scheduler.placeAgainOrStart(entry)) {
            cord.send(new Refusal(entry)); // by the cord: this may be any thread
        }
    }

    private final class Refusal extends CordMessage {
        private final Fiber<?> task;

        Refusal(Fiber<?> task) {
            this.task = task;
        }

        /** A cord that still drains starts it rather. */
        @Override
        protected void onCord() {
            if (scheduler.startHere(task)) {
                return;
            }
            Collection<CordMessage> notes = claim(task);
            if (notes != null) {
                tellRefused(task, notes);
                if (task.outcome() == null) {
                    task.refuseStart(scheduler.noCord(task + " was not started: "));
                }
            }
        }

        @Override
        protected void onClosed() {
            onCord();
        }
    }

    private @Nullable Collection<CordMessage> claim(Fiber<?> task) {
        Placement placement = task.placement;
        Collection<CordMessage> notes = placement == null ? null : placement.claim(cord);
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
                LOG.error("a message to a task failed: {}", each, broken);
            }
        }
    }

    // ---------------------------------------------------------------- on the cord

    /** Puts the next task into the run queue; false if there is none. */
    boolean startNext() {
        return startFrom(this);
    }

    /** Like {@link #startNext}, from another cord, beginning at a random one. */
    boolean steal() {
        TaskQueue[] all = scheduler.crew.queues();
        if (all.length < 2 || !canTake() || cord.isFull()) {
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
        if (cord.root().isEnding() || !cord.isInitialised()) {
            endSnoozes(); // nobody takes them any more
            return false; // what is closed and drained is started all the same
        }
        for (; ; ) {
            Fiber<?> entry = from.waiting.poll();
            if (entry == null) {
                return false;
            }
            Cord claimedBy = entry.cordOrNull();
            if (claimedBy == null) {
                boolean isPassedOn = cord.isFull() && scheduler.crew.passOn(entry, this);
                if (!isPassedOn && start(entry)) {
                    return true;
                }
            } else if (claimedBy == from.cord) { // it snoozes, or was claimed out of turn
                if (from != this) {
                    return endSnooze(entry); // those behind it are that cord's to take
                }
                if (endSnoozesUpTo(entry)) {
                    return true;
                }
            }
        }
    }

    /** Makes the task a fiber of this cord; false if somebody else has claimed it. */
    boolean start(Fiber<?> task) {
        Collection<CordMessage> notes = claim(task);
        if (notes == null) {
            return false;
        }
        if (cord.isFull()) {
            tellRefused(task, notes);
            if (task.outcome() == null) {
                task.refuseStart(cord.tooMany(task));
            }
            return false;
        }
        alive++;
        countIn(task);
        cord.enterTask(task);
        if (!notes.isEmpty()) {
            tell(notes);
        }
        return true;
    }

    /** It counts meanwhile, for if it is abandoned by a note its place is given back. */
    private void tellRefused(Fiber<?> task, Collection<CordMessage> notes) {
        cord.alive++;
        tell(notes);
        if (task.outcome() == null) {
            cord.alive--;
        }
    }

    private static void countIn(Fiber<?> task) {
        if (task.placement != null) {
            task.placement.isCounted = true;
        }
    }

    // ---------------------------------------------------------------- fibers that snooze

    /** What a fiber waits for that has given way to tasks. */
    private record Behind(TaskQueue tasks) {
        @Override
        public String toString() {
            return "its turn behind " + tasks;
        }
    }

    /** Whether a fiber of this cord that gives way does so to tasks too. */
    boolean isInFront() {
        return isWaiting() && canTake();
    }

    /** The current fiber goes on when those that wait now have been taken. A switchpoint. */
    void snoozeBehind(Fiber<?> fiber) {
        waiting.add(fiber);
        if (isClosed && waiting.remove(fiber)) {
            return; // nobody comes any more who would take it
        }
        snoozing++;
        try {
            fiber.park(WaitKind.LIBRARY, behind);
        } catch (Throwable left) {
            waiting.remove(fiber);
            throw left;
        } finally {
            snoozing--;
        }
    }

    /**
     * The fiber at the head and those right behind it have their turn: no task waits in front of
     * them, and a line of fibers alone would be joined by whoever snoozes next, for ever.
     */
    private boolean endSnoozesUpTo(Fiber<?> first) {
        boolean isAnyEnded = endSnooze(first);
        for (Fiber<?> next = waiting.peek();
                next != null && next.cordOrNull() == cord && waiting.remove(next);
                next = waiting.peek()) {
            isAnyEnded |= endSnooze(next);
        }
        return isAnyEnded;
    }

    /**
     * True if the fiber is put into the run queue now. From any thread; no effect on one that does
     * not snooze in this way: it was a task here, or left the line otherwise. A message of a thief
     * may end a later snooze than it was meant for, which then is a shorter one.
     */
    private static boolean endSnooze(Fiber<?> fiber) {
        if (!fiber.isHere()) {
            fiber.send(FiberMessages.quiet(() -> endSnoozeHere(fiber)));
            return false;
        }
        return endSnoozeHere(fiber);
    }

    private static boolean endSnoozeHere(Fiber<?> fiber) {
        return fiber.waitReason() instanceof Behind && fiber.resume(fiber.nextWaitNumber(), null);
    }

    private void endSnoozes() {
        if (snoozing == 0) {
            return;
        }
        for (Fiber<?> entry : waiting) {
            if (entry.cordOrNull() == cord && waiting.remove(entry)) {
                endSnooze(entry);
            }
        }
    }

    // ---------------------------------------------------------------- until there are none

    /** A task that was started here has ended. */
    void ended() {
        alive--;
        Fiber<?> waiter = drainer;
        if (alive == 0 && waiter != null) {
            waiter.resume(drainNumber, null);
        }
    }

    /**
     * Waits, as the current fiber, until no task is here. All that wait are started, so that none
     * is behind the waiting fiber.
     *
     * @return false if the limit passed first
     */
    boolean drain(long limitNanos) {
        Fiber<?> me = Fiber.current();
        long startNs = cord.nanoTime();
        boolean inTime = true;
        while (inTime && (startAll() || alive > 0)) {
            if (alive == 0) {
                continue; // who snoozed goes on by itself, and its end is not told here
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
        while (started < MOST_AT_ONCE && startNext()) {
            started++;
        }
        return started > 0;
    }

    @Override
    public String toString() {
        return "the tasks on " + cord;
    }
}
