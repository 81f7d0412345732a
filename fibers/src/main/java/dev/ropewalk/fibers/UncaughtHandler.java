package dev.ropewalk.fibers;

/** Is told of failures without an awaiter or parent, and of abandoned fibers. */
@FunctionalInterface
public interface UncaughtHandler {
    /**
     * Called on the fiber's cord, or on the thread that found out. It must be short and must not
     * wait.
     *
     * @param fiber the fiber that failed or was abandoned
     * @param failure what it threw, or a {@link FiberAbandonedException}
     */
    void uncaught(Fiber<?> fiber, Throwable failure);
}
