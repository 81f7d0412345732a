package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.Spinner;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Callable;

/** Where a fiber can be spun below a parent: the inner side of a {@link Spinner}. */
public interface ChildPlace {
    /** Made, and not started. */
    <T extends @Nullable Object> FiberImpl<T> newChild(
            FiberImpl<?> parent, String name, Callable<? extends T> body);

    void spinBelow(FiberImpl<?> parent, FiberImpl<?> child);

    static ChildPlace of(Spinner spinner) {
        if (spinner instanceof ChildPlace place) {
            return place;
        }
        throw new IllegalArgumentException(
                spinner + " is neither a cord nor a scheduler; spin on one of those");
    }
}
