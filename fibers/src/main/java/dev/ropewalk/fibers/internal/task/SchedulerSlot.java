package dev.ropewalk.fibers.internal.task;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.TaskSlot;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * Where a task is: a fiber of a scheduler that has no cord before one starts it (rule F15).
 *
 * <p>States of the slot, which any thread may move:
 *
 * <pre>
 *   null, Note -> Note   send: a call needs the fiber; the notes form a list
 *   null, Note -> Cord   claim: by the cord that starts it; or for a cord, by the one that ends
 *                        it unstarted or pins it there
 * </pre>
 *
 * One compare-and-set decides which cord has the task. The winner alone then handles the notes
 * first, in the order in which they were sent; later messages go to the cord. So the order of each
 * sender is kept. Rejected: a lock per queue, which makes a thief, the owner and a canceller wait
 * for each other.
 */
final class SchedulerSlot implements TaskSlot {
    private static final VarHandle SLOT;

    static {
        try {
            SLOT = MethodHandles.lookup().findVarHandle(SchedulerSlot.class, "slot", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private record Note(CordMessage message, @Nullable Note earlier) {}

    final SchedulerImpl scheduler;

    /** Spun by no fiber, or detached: its failure is reported, and cancels no fiber. */
    private boolean isOwnerless;

    /** Its body has begun; of its cord, and of those that have seen its end. */
    private boolean hasBegun;

    /** Counted among the tasks of its cord; of that cord. */
    boolean isCounted;

    private volatile @Nullable Object slot;

    SchedulerSlot(SchedulerImpl scheduler, boolean isOwnerless) {
        this.scheduler = scheduler;
        this.isOwnerless = isOwnerless;
    }

    static SchedulerSlot of(FiberImpl<?> task) {
        return (SchedulerSlot) Objects.requireNonNull(task.taskSlot, "taskSlot");
    }

    @Override
    public @Nullable CordImpl cord() {
        return slot instanceof CordImpl claimedFor ? claimedFor : null;
    }

    @Override
    public boolean send(CordMessage message) {
        for (; ; ) {
            Object seen = slot;
            if (seen instanceof CordImpl) {
                return false;
            }
            if (SLOT.compareAndSet(this, seen, new Note(message, (Note) seen))) {
                return true;
            }
        }
    }

    @Override
    public void claimSoon(FiberImpl<?> task) {
        scheduler.claimSoon(task);
    }

    @Override
    public boolean claimHere(FiberImpl<?> task) {
        TaskQueue own = TaskQueue.ofCaller(scheduler);
        return own != null && own.startAwaited(task);
    }

    @Override
    public boolean isOwnerless() {
        return isOwnerless;
    }

    @Override
    public void setOwnerless(boolean on) {
        isOwnerless = on;
    }

    @Override
    public void begin() {
        hasBegun = true;
    }

    boolean hasBegun() {
        return hasBegun;
    }

    @Override
    public void ended(FiberImpl<?> task) {
        scheduler.ended(task, this);
    }

    @Override
    public Object scheduler() {
        return scheduler;
    }

    /** The notes sent to it, in that order; null if another cord has claimed it. */
    @Nullable Collection<CordMessage> claim(CordImpl cord) {
        for (; ; ) {
            Object seen = slot;
            if (seen instanceof CordImpl) {
                return null;
            }
            if (SLOT.compareAndSet(this, seen, cord)) {
                return seen == null ? List.of() : inOrder((Note) seen);
            }
        }
    }

    private static Collection<CordMessage> inOrder(@Nullable Note newest) {
        ArrayDeque<CordMessage> messages = new ArrayDeque<>();
        for (Note each = newest; each != null; each = each.earlier()) {
            messages.addFirst(each.message());
        }
        return messages;
    }
}
