package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * What stands for one variable in the values of a fiber, and what a fiber sees that has set none.
 */
final class LocalKey<T extends @Nullable Object> {
    /** Makes a value for each fiber that asks before it has set any, or gives all the same. */
    private final Supplier<? extends T> initial;

    private final boolean isMadeForEach;
    private final boolean isInheritable;

    private LocalKey(Supplier<? extends T> initial, boolean isMadeForEach, boolean isInheritable) {
        this.initial = initial;
        this.isMadeForEach = isMadeForEach;
        this.isInheritable = isInheritable;
    }

    static <T extends @Nullable Object> LocalKey<T> of(T initial) {
        return new LocalKey<>(() -> initial, false, false);
    }

    static <T extends @Nullable Object> LocalKey<T> withInitial(Supplier<? extends T> initial) {
        return new LocalKey<>(initial, true, false);
    }

    static <T extends @Nullable Object> LocalKey<T> inheritable(T initial) {
        return new LocalKey<>(() -> initial, false, true);
    }

    boolean isInheritable() {
        return isInheritable;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // set takes a T
    T valueIn(FiberImpl<?> fiber) {
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

    void set(FiberImpl<?> fiber, @Nullable Object value) {
        fiber.locals = LocalValues.with(fiber.locals, this, value);
    }

    void remove(FiberImpl<?> fiber) {
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
