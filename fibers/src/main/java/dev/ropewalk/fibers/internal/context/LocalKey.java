package dev.ropewalk.fibers.internal.context;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * What stands for one variable in the values of a fiber, and what a fiber sees that has set none.
 */
public final class LocalKey<T extends @Nullable Object> {
    /** Makes a value for each fiber that asks before it has set any, or gives all the same. */
    private final Supplier<? extends T> initial;

    private final boolean isMadeForEach;
    private final boolean isInheritable;

    private LocalKey(Supplier<? extends T> initial, boolean isMadeForEach, boolean isInheritable) {
        this.initial = initial;
        this.isMadeForEach = isMadeForEach;
        this.isInheritable = isInheritable;
    }

    public static <T extends @Nullable Object> LocalKey<T> of(T initial) {
        return new LocalKey<>(() -> initial, false, false);
    }

    public static <T extends @Nullable Object> LocalKey<T> withInitial(
            Supplier<? extends T> initial) {
        return new LocalKey<>(initial, true, false);
    }

    public static <T extends @Nullable Object> LocalKey<T> inheritable(T initial) {
        return new LocalKey<>(() -> initial, false, true);
    }

    boolean isInheritable() {
        return isInheritable;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // set takes a T
    public T valueIn(FiberImpl<?> fiber) {
        LocalValues values = fiber.locals;
        int place = values == null ? -1 : values.find(this);
        if (values != null && place >= 0) {
            return (T) values.at(place);
        }
        T made = initial.get();
        if (isMadeForEach) {
            set(fiber, made);
        }
        return made;
    }

    public void set(FiberImpl<?> fiber, @Nullable Object value) {
        fiber.locals = LocalValues.with(fiber.locals, this, value);
    }

    public void remove(FiberImpl<?> fiber) {
        LocalValues values = fiber.locals;
        if (values != null) {
            fiber.locals = values.without(this);
        }
    }

    @Override
    public String toString() {
        return (isInheritable ? "inheritable fiber local" : "fiber local")
                + (isMadeForEach ? ", initially one for each" : ", initially " + initial.get());
    }
}
