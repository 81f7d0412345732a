package dev.ropewalk.fibers.internal.platform;

import dev.ropewalk.fibers.Action;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.Callable;

/** Bodies without a result as bodies with one. */
public final class Callables {
    private Callables() {}

    /** {@return a body that runs the action and returns null} */
    public static Callable<@Nullable Void> of(Action action) {
        Objects.requireNonNull(action, "body");
        return () -> {
            action.run();
            return null;
        };
    }
}
