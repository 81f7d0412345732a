package dev.ropewalk.fibers.internal.task;

import dev.ropewalk.fibers.internal.cord.Mail;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.FiberMessages;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The cords of a scheduler that take tasks: which of them gets the next one, and which cord is
 * woken for it (rule F15). For any thread.
 *
 * <p>No lost wake-up: a placer puts its task into a queue and then reads what the cords do; a cord
 * says that it is asleep and then reads the queues. One of them sees the other. A cord that spins
 * is not woken, and gets perhaps several tasks; so a cord that has found one wakes the next if
 * there is more.
 */
final class Workers {
    /** How many cords are checked for one that spins: not to find one costs a wake-up only. */
    private static final int MAX_TRIES = 8;

    /** The cords that take tasks. Replaced as a whole, under the lock of this object. */
    private volatile TaskQueue[] queues = {};

    /** Where the next task goes. Written by all without a fence: a lost step does no harm. */
    private int turn;

    /** Cords that sleep; to read it spares a placer the reading of each. */
    private final AtomicInteger sleepers = new AtomicInteger();

    TaskQueue[] queues() {
        return queues;
    }

    synchronized void join(TaskQueue queue) {
        TaskQueue[] more = Arrays.copyOf(queues, queues.length + 1);
        more[queues.length] = queue;
        queues = more;
    }

    synchronized void remove(TaskQueue queue) {
        queues = Arrays.stream(queues).filter(each -> each != queue).toArray(TaskQueue[]::new);
    }

    /** True if the queue was the only one, and stays; otherwise it is taken out. */
    synchronized boolean isLastOrRemove(TaskQueue queue) {
        boolean isLast = queues.length == 1;
        if (!isLast) {
            remove(queue);
        }
        return isLast;
    }

    /** False if there is no cord. */
    boolean place(FiberImpl<?> task) {
        TaskQueue[] all = queues;
        if (all.length == 0) {
            return false;
        }
        int first = nextTurn(all);
        TaskQueue target =
                find(all, first, Math.min(all.length, MAX_TRIES), Mail.Activity.SPINNING);
        for (int i = 0; target == null && i < all.length; i++) {
            TaskQueue next = all[(first + i) % all.length];
            target = next.canTake() ? next : null;
        }
        if (target == null) {
            target = all[first]; // no cord is initialised yet
        }
        target.add(task);
        switch (target.cord.mail.activity()) {
            case ASLEEP -> target.cord.mail.wakeUp();
            case BUSY -> wakeSleeper(all, first); // to steal it
            case SPINNING -> {
                // It finds the task, and wakes another if there is more.
            }
        }
        return true;
    }

    /** From a cord that is full to a cord that seems not to be; false without such a cord. */
    boolean passOn(FiberImpl<?> task, TaskQueue from) {
        for (TaskQueue each : queues) {
            if (each != from && each.canTake() && !each.cord.roster.isFull()) {
                each.add(task);
                each.cord.mail.wakeUp();
                return true;
            }
        }
        return false;
    }

    private int nextTurn(TaskQueue[] all) {
        return Math.floorMod(turn++, all.length);
    }

    private void wakeSleeper(TaskQueue[] all, int first) {
        TaskQueue sleeper =
                sleepers.get() == 0 ? null : find(all, first, all.length, Mail.Activity.ASLEEP);
        if (sleeper != null) {
            sleeper.cord.mail.wakeUp();
        }
    }

    /** By a cord that has found a task. */
    void wakeSleeperIfWaiting() {
        TaskQueue[] all = queues;
        if (sleepers.get() > 0 && Arrays.stream(all).anyMatch(TaskQueue::isWaiting)) {
            wakeSleeper(all, nextTurn(all));
        }
    }

    private static @Nullable TaskQueue find(
            TaskQueue[] all, int first, int tries, Mail.Activity activity) {
        for (int i = 0; i < tries; i++) {
            TaskQueue each = all[(first + i) % all.length];
            if (each.cord.mail.activity() == activity
                    && each.canTake()
                    && !each.cord.roster.isFull()) {
                return each;
            }
        }
        return null;
    }

    /** Has some cord claim the task. */
    void claimSoon(FiberImpl<?> task) {
        TaskQueue[] all = queues;
        if (all.length > 0) {
            TaskQueue to = all[nextTurn(all)];
            to.cord.send(FiberMessages.quiet(() -> claimOn(to, task)));
        } // otherwise the cord that left last has it, and starts or refuses it
    }

    /** A cord that is about to leave, or not ready yet, leaves the task to others. */
    private static void claimOn(TaskQueue queue, FiberImpl<?> task) {
        if (queue.canTake()) {
            queue.start(task);
        }
    }

    void countSleeper(boolean more) {
        sleepers.addAndGet(more ? 1 : -1);
    }
}
