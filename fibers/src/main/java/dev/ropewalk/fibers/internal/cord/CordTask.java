package dev.ropewalk.fibers.internal.cord;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * The body of a fiber that a cord spun as an {@link java.util.concurrent.Executor}: no parent asked
 * for it, so its failure is reported and cancels no fiber.
 */
public record CordTask(Runnable task) implements Callable<@Nullable Void> {
    public CordTask {
        Objects.requireNonNull(task, "task");
    }

    @Override
    public @Nullable Void call() {
        task.run();
        return null;
    }
}
