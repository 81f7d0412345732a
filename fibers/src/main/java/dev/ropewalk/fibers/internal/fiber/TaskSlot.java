package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.internal.cord.CordImpl;

import org.jspecify.annotations.Nullable;

/** The kernel's interface to a task, a fiber that has no cord before one takes it (rule F15). */
public interface TaskSlot {
    /** Null until the task is claimed. */
    @Nullable CordImpl cord();

    /** For the claimer of the task; false if it was claimed already. From any thread. */
    boolean send(CordMessage message);

    /** A call needs the task: it does not wait for its turn. From any thread. */
    void claimSoon(FiberImpl<?> task);

    /**
     * The calling cord starts the task now; false if it is another scheduler's, or not ready for
     * it, or if the task was claimed already.
     */
    boolean claimHere(FiberImpl<?> task);

    /** Spun by no fiber, or detached: its failure is reported, and cancels no fiber. */
    boolean isOwnerless();

    void setOwnerless(boolean on);

    /** Its body begins; on its cord. */
    void begin();

    /** It has ended, on its cord or wherever it was refused. */
    void ended(FiberImpl<?> task);

    /** {@return its scheduler, for messages} */
    Object scheduler();
}
