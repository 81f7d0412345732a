package dev.ropewalk.fibers.scheduler;

import java.util.concurrent.RejectedExecutionException;

/**
 * A {@link Scheduler} did not take a task, because as many wait to be started as may wait; see
 * {@link SchedulerOptions#withMaxPending}.
 */
public final class TaskRejectedException extends RejectedExecutionException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message what happened, to which object, and the remedy
     */
    public TaskRejectedException(String message) {
        super(message);
    }
}
