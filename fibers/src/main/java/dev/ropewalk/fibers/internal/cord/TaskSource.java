package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;

/**
 * The source of tasks for a cord of a scheduler (rule F15): its own queue, and those of the other
 * cords.
 *
 * <p>Confined to the cord, but for {@link #size}.
 */
public interface TaskSource {
    /** Puts the next task into the run queue; false without one. */
    boolean startNext();

    /** Like {@link #startNext}, from another cord. */
    boolean steal();

    /** Whether something waits here that this cord starts. */
    boolean hasWork();

    /** Whether this cord could find a task, of its own or of another cord. */
    boolean isAnyWaiting();

    /** Whether a fiber of this cord that yields does so to tasks too. */
    boolean isInFront();

    /**
     * The current fiber goes on when those that wait now have been taken. A switchpoint.
     *
     * @return false if it has not yielded, because no cord takes tasks from here any more
     */
    boolean yieldBehind(FiberImpl<?> fiber);

    /** The cord goes to sleep, or has woken. */
    void countSleeper(boolean isAsleep);

    /** Has another cord that sleeps take a task, if more of them wait. */
    void wakeSleeperIfWaiting();

    void noteAbandoned(FiberImpl<?> fiber);

    /** The cord has ended. */
    void cordEnded();

    /** How many tasks wait, some of which may have been claimed; from any thread, a hint. */
    int size();

    /** {@return the scheduler, for messages} */
    Object scheduler();
}
