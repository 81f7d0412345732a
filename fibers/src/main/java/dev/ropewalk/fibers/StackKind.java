package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.cord.StackChoice;

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
    VIRTUAL_THREAD,

    /**
     * In place of {@link #LIGHT} in a JVM without the flag for that: virtual threads of the JDK's
     * own scheduler, of which one at a time runs as the cord. The contract is that of {@code
     * LIGHT}, also on a virtual clock, and only calls of Ropewalk yield; but {@code ThreadLocal},
     * {@code ScopedValue} and monitors are those of the fiber's thread, and nothing is pinned. A
     * switch costs several times as much.
     */
    PORTABLE;

    /**
     * {@return whether cords can have this kind in this JVM} {@link #LIGHT} and {@link
     * #VIRTUAL_THREAD} need a flag of the JVM each; {@code -Dropewalk.stacks=portable} forbids
     * both.
     */
    public boolean isAvailable() {
        return StackChoice.isAvailable(this);
    }
}
