package dev.ropewalk.fibers.recurring;

/**
 * A piece of code that a loop of {@link Timed} runs again and again.
 *
 * @param <X> what it throws; the compiler finds {@code RuntimeException} where there is nothing
 */
@FunctionalInterface
public interface RepeatAction<X extends Exception> {
    /**
     * Runs the code once.
     *
     * @param repeat the loop: which run this is, and how to make it the last
     * @throws X whatever the code throws; it ends the loop
     */
    void run(Repeat repeat) throws X;
}
