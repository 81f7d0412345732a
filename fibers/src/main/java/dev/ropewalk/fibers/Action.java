package dev.ropewalk.fibers;

/** A fiber body without a result. */
@FunctionalInterface
public interface Action {
    /**
     * Runs the body.
     *
     * @throws Exception whatever the body throws; it becomes the fiber's outcome
     */
    void run() throws Exception;
}
