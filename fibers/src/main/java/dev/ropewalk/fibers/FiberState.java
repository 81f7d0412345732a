package dev.ropewalk.fibers;

/** Where a fiber is in its life. */
public enum FiberState {
    /** In its cord's run queue: not yet started, or resumed and waiting for its turn. */
    RUNNABLE,
    /** Running now on its cord. */
    RUNNING,
    /** At a switchpoint, until somebody schedules it, or ready for the next value of a handler. */
    WAITING,
    /** Ended; its outcome can be read as often as wanted. */
    DEAD
}
