package dev.ropewalk.fibers;

import java.util.concurrent.RejectedExecutionException;

/**
 * A {@link Scheduler} did not take a task, for as many wait to be started as may wait; see {@link
 * SchedulerOptions#withMaxPending}.
 */
public final class TaskRejectedException extends RejectedExecutionException {
    private static final long serialVersionUID = 1L;

    TaskRejectedException(String message) {
        super(message);
    }
}
