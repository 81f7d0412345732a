package dev.ropewalk.fibers.internal.log;

import org.jspecify.annotations.Nullable;

import java.util.IdentityHashMap;

/**
 * A value of a thread that is seen by its cords too, on whatever thread their fibers run: those of
 * portable stacks are others. For what a test sets up around its cords; not on any fast path.
 *
 * <p>Rejected: an {@code InheritableThreadLocal}, which threads of the user's get as well.
 *
 * @param <T> the type of the value
 */
public final class RootLocal<T> {
    private static final ThreadLocal<@Nullable Values> VALUES = new ThreadLocal<>();

    /** Those of one thread, or what a cord sees of them. */
    public static final class Values {
        private IdentityHashMap<RootLocal<?>, Object> all = new IdentityHashMap<>();

        /** By the cord's own thread: has what that thread has, from now on. */
        public void see() {
            all = ofThisThread().all;
        }

        /** On the thread of a stack: what the cord sees is seen there from now on. */
        public void show() {
            VALUES.set(this);
        }
    }

    public RootLocal() {}

    @SuppressWarnings("unchecked") // set by this object
    public @Nullable T get() {
        Values here = VALUES.get();
        return here == null ? null : (T) here.all.get(this);
    }

    /** Null takes it away. In a fiber it is that of the cord's thread. */
    public void set(@Nullable T value) {
        Values here = ofThisThread();
        if (value == null) {
            here.all.remove(this);
        } else {
            here.all.put(this, value);
        }
    }

    private static Values ofThisThread() {
        Values here = VALUES.get();
        if (here == null) {
            here = new Values();
            VALUES.set(here);
        }
        return here;
    }
}
