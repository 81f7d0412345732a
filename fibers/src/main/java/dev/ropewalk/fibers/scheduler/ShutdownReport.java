package dev.ropewalk.fibers.scheduler;

import java.util.List;

/**
 * The tasks and cords that did not stop by themselves when a {@link Scheduler} was shut down: names
 * of tasks and of cords.
 *
 * @param notStarted tasks that no cord had started within the limit, and that were ended
 * @param terminated tasks that ran and were terminated after the limit
 * @param abandoned fibers that did not end when they were terminated; they never run again
 * @param stuck cords that did not end, with the fibers that they run and the stacks of their
 *     threads, which are left behind
 * @param bound cords of threads that are still bound, and go on
 * @param failed cords that had ended by themselves, with the reason: their initialisers failed
 * @param left how many tasks had not ended when this was made: they are on cords that are stuck, or
 *     of threads that are still bound and have not come to a switchpoint
 */
public record ShutdownReport(
        List<String> notStarted,
        List<String> terminated,
        List<String> abandoned,
        List<String> stuck,
        List<String> bound,
        List<String> failed,
        long left) {
    /** Copies the lists. */
    public ShutdownReport {
        notStarted = List.copyOf(notStarted);
        terminated = List.copyOf(terminated);
        abandoned = List.copyOf(abandoned);
        stuck = List.copyOf(stuck);
        bound = List.copyOf(bound);
        failed = List.copyOf(failed);
    }

    /** {@return whether all tasks had ended within the limit, and no cord before or after it} */
    public boolean isClean() {
        return notStarted.isEmpty()
                && terminated.isEmpty()
                && abandoned.isEmpty()
                && stuck.isEmpty()
                && bound.isEmpty()
                && failed.isEmpty()
                && left == 0;
    }
}
