package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.context.LocalKey;
import dev.ropewalk.fibers.internal.context.LocalValues;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Supplier;

/**
 * A variable of which each fiber has its own value (rule F10). Use it in place of thread-locals,
 * because all fibers of a cord share those of its thread.
 *
 * {@snippet file="dev/ropewalk/fibers/FiberLocalTest.java" region="local"}
 *
 * <p>A fiber that has set no value sees the initial one. An inheritable variable is handed down: a
 * fiber begins with the values that its parent has at the moment when it is spun; neither sees what
 * the other sets later. This holds across cords too. A fiber that a plain thread spins begins with
 * the initial values. The body of a coroutine or generator begins with the values of the fiber that
 * made it, at that moment.
 *
 * <p>Values are reached only by the running fiber, so they need no lock. They go with the fiber: a
 * fiber lets go of them when it is over, and a restarted fiber begins again with the values it
 * inherited. A fiber without such values pays nothing.
 *
 * @param <T> the type of the values
 */
public final class FiberLocal<T extends @Nullable Object> {
    private final LocalKey<T> key;

    private FiberLocal(LocalKey<T> key) {
        this.key = key;
    }

    /**
     * {@return a variable that is not handed down} All fibers see the same initial object: one that
     * can be changed, such as a list, is shared by them, so use {@link #withInitial} for it.
     *
     * @param <T> the type of the values
     * @param initial the value in a fiber that has set no value
     */
    public static <T extends @Nullable Object> FiberLocal<T> of(T initial) {
        return new FiberLocal<>(LocalKey.of(initial));
    }

    /**
     * {@return a variable that is not handed down, with an initial value of its own for each fiber}
     *
     * @param <T> the type of the values
     * @param initial makes the value of a fiber that has set no value, in the first {@link #get}
     *     there, which throws the exceptions of this function
     */
    public static <T extends @Nullable Object> FiberLocal<T> withInitial(
            Supplier<? extends T> initial) {
        return new FiberLocal<>(LocalKey.withInitial(Objects.requireNonNull(initial, "initial")));
    }

    /**
     * {@return a variable that a fiber inherits from its parent}
     *
     * @param <T> the type of the values
     * @param initial what a fiber sees that has neither inherited nor set one; the same object for
     *     all of them
     */
    public static <T extends @Nullable Object> FiberLocal<T> inheritable(T initial) {
        return new FiberLocal<>(LocalKey.inheritable(initial));
    }

    /**
     * {@return the running fiber's value}
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public T get() {
        return key.valueIn(FiberImpl.current());
    }

    /**
     * Sets the running fiber's value.
     *
     * @param value the value
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public void set(T value) {
        key.set(FiberImpl.current(), value);
    }

    /**
     * Forgets the running fiber's value, also an inherited one: it sees the initial one again.
     *
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public void remove() {
        key.remove(FiberImpl.current());
    }

    /**
     * Runs the block with a value, and puts back what was there before, however the block ends.
     * Fibers that the block spins inherit the value, if the variable is inheritable.
     *
     * @param <R> the type of the result
     * @param <X> what the block throws
     * @param value the value inside the block
     * @param block runs at once, in this fiber
     * @return what the block returned
     * @throws X what the block threw
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public <R extends @Nullable Object, X extends Exception> R callWith(
            T value, Block<? extends R, X> block) throws X {
        Objects.requireNonNull(block, "block");
        LocalValues before = FiberImpl.current().locals;
        int place = before == null ? -1 : before.find(key);
        set(value);
        try {
            return block.run();
        } finally {
            if (before == null || place < 0) {
                remove();
            } else {
                key.set(FiberImpl.current(), before.at(place));
            }
        }
    }

    /**
     * Like {@link #callWith}, without a result.
     *
     * @param <X> what the block throws
     * @param value the value inside the block
     * @param block runs at once, in this fiber
     * @throws X what the block threw
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public <X extends Exception> void runWith(T value, VoidBlock<X> block) throws X {
        Objects.requireNonNull(block, "block");
        this.<@Nullable Object, X>callWith(
                value,
                () -> {
                    block.run();
                    return null;
                });
    }

    @Override
    public String toString() {
        return key.toString();
    }
}
