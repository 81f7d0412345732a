package dev.ropewalk.fibers.recurring;

/**
 * A piece of code that a {@link Debounce} runs.
 *
 * @param <T> the type of the values that trigger it
 */
@FunctionalInterface
public interface DebounceAction<T> {
    /**
     * Runs the code, in the fiber of the debounce; may wait.
     *
     * @param value the last one triggered
     * @throws Exception whatever the code throws; it is the failure of that fiber
     */
    void run(T value) throws Exception;
}
