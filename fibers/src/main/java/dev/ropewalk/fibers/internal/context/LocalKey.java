package dev.ropewalk.fibers.internal.context;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * The key of one variable in the values of a fiber, and the value in a fiber that has set no value.
 */
public final class LocalKey<T extends @Nullable Object> {
    /** The value in all fibers that have set no value. */
    private final T initial;

    /** Makes a value for each fiber that asks before it has set any; null if all see the same. */
    private final @Nullable Supplier<? extends T> maker;

    private final boolean isInheritable;

    private LocalKey(T initial, @Nullable Supplier<? extends T> maker, boolean isInheritable) {
        this.initial = initial;
        this.maker = maker;
        this.isInheritable = isInheritable;
    }

    public static <T extends @Nullable Object> LocalKey<T> of(T initial) {
        return new LocalKey<>(initial, null, false);
    }

    @SuppressWarnings("NullAway") // a value that was not made is not seen
    public static <T extends @Nullable Object> LocalKey<T> withInitial(
            Supplier<? extends T> initial) {
        return new LocalKey<>(null, initial, false);
    }

    public static <T extends @Nullable Object> LocalKey<T> inheritable(T initial) {
        return new LocalKey<>(initial, null, true);
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
        if (maker == null) {
            return initial;
        }
        T made = maker.get();
        set(fiber, made);
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
                + (maker != null ? ", initially one for each" : ", initially " + initial);
    }
}
