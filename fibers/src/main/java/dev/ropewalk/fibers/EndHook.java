package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.fiber.FiberEndHook;

/** The registration of an {@linkplain Fiber#onEnd on-end hook}. */
public abstract sealed class EndHook permits FiberEndHook {
    /** For the one class of the library that implements it. */
    protected EndHook() {}

    /** {@return the fiber that is monitored} */
    public abstract Fiber<?> fiber();

    /**
     * Takes the hook out. From the fiber's own cord it is not called any more; from elsewhere it
     * may be, if the fiber ends meanwhile. Works from any thread; no effect after the end.
     */
    public abstract void cancel();
}
