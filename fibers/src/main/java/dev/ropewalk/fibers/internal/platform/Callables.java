package dev.ropewalk.fibers.internal.platform;

import dev.ropewalk.fibers.Action;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.Callable;

/** Bodies without a result as bodies with one. */
public final class Callables {
    /** Not a lambda: each start of a cord needs it, and it is the first one in many programs. */
    private record Body(Action action) implements Callable<@Nullable Void> {
        @Override
        public @Nullable Void call() throws Exception {
            action.run();
            return null;
        }
    }

    private record Task(Runnable runnable) implements Callable<@Nullable Void> {
        @Override
        public @Nullable Void call() {
            runnable.run();
            return null;
        }
    }

    private Callables() {}

    /** {@return a body that runs the action and returns null} */
    public static Callable<@Nullable Void> of(Action action) {
        return new Body(Objects.requireNonNull(action, "body"));
    }

    /** {@return a body that runs the task of an executor and returns null} */
    public static Callable<@Nullable Void> ofTask(Runnable task) {
        return new Task(Objects.requireNonNull(task, "task"));
    }
}
