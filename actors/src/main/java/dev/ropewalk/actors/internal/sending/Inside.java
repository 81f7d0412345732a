package dev.ropewalk.actors.internal.sending;

import dev.ropewalk.fibers.Fiber;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which fibers, and threads without one, are inside a piece of the program's code that is not to be
 * called again from within; for any thread.
 */
public final class Inside {
    private final Set<Object> callers = ConcurrentHashMap.newKeySet();

    /** False if the caller is inside already. */
    public boolean enter() {
        return callers.add(caller());
    }

    /** After an {@link #enter} that was true. */
    public void leave() {
        callers.remove(caller());
    }

    public boolean isCaller() {
        return !callers.isEmpty() && callers.contains(caller());
    }

    private static Object caller() {
        Fiber<?> fiber = Fiber.currentOrNull();
        return fiber == null ? Thread.currentThread() : fiber;
    }
}
