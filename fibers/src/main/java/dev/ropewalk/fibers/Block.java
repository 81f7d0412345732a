package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * A piece of code that runs at once, in the calling fiber, and returns a result.
 *
 * @param <T> the type of the result
 * @param <X> what it throws; the compiler finds {@code RuntimeException} where there is nothing
 */
@FunctionalInterface
public interface Block<T extends @Nullable Object, X extends Exception> {
    /**
     * Runs the code.
     *
     * @return its result
     * @throws X whatever the code throws
     */
    T run() throws X;
}
