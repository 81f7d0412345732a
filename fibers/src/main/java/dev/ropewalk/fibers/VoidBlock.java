package dev.ropewalk.fibers;

/**
 * A piece of code that runs at once, in the calling fiber, without a result.
 *
 * @param <X> what it throws; the compiler finds {@code RuntimeException} where there is nothing
 */
@FunctionalInterface
public interface VoidBlock<X extends Exception> {
    /**
     * Runs the code.
     *
     * @throws X whatever the code throws
     */
    void run() throws X;
}
