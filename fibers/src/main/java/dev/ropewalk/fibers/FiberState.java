package dev.ropewalk.fibers;

/** Where a fiber is in its life. */
public enum FiberState {
    /** In its cord's run queue: not yet started, or resumed and waiting for its turn. */
    RUNNABLE,
    /** Running now on its cord. */
    RUNNING,
    /** At a switchpoint until it is scheduled, or a handler that is ready for its next value. */
    WAITING,
    /** Ended; its outcome can be read as often as wanted. */
    DEAD
}
