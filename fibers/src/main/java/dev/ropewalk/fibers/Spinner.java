package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Callable;

/**
 * Where fibers can be spun: a {@link Cord}, or a scheduler that places each on one of its cords.
 * Not for implementation by users.
 */
public interface Spinner {
    /**
     * Spins a named fiber.
     *
     * @param <T> the type of the result
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     */
    <T extends @Nullable Object> Fiber<T> spin(String name, Callable<? extends T> body);

    /**
     * Spins a named fiber without a result.
     *
     * @param name shown in reports; need not be unique
     * @param body what the fiber runs
     * @return the new fiber
     */
    Fiber<@Nullable Void> spin(String name, Action body);
}
