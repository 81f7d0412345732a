package dev.ropewalk.fibers;

/** The kind of stack that a cord's fibers run on (rule F11); chosen per cord. */
public enum StackKind {
    /**
     * Raw continuations, the fastest: only calls of Ropewalk yield. A call that blocks its thread
     * blocks the whole cord, and monitors, {@code ReentrantLock}, {@code ThreadLocal} and {@code
     * ScopedValue} do not tell the fibers of a cord apart.
     */
    LIGHT,

    /**
     * Virtual threads that the cord alone runs: any call of the JDK that blocks a virtual thread
     * suspends the fiber only, and locks, {@code ThreadLocal} and {@code ScopedValue} are the
     * fiber's own. A switch costs about half as much again. Not on a virtual clock.
     */
    VIRTUAL_THREAD
}
