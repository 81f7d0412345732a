package dev.ropewalk.benchmarks.scenario;

import java.lang.invoke.VarHandle;

/**
 * What a lock guards: a count.
 *
 * <p>Its fences keep the compiler from doing away with a lock that nobody else can want, or with
 * all but one of its rounds; on x86 they are no instructions.
 */
public final class Guarded {
    private long count;

    /** Adds one; called by who has the lock. */
    public void add() {
        VarHandle.acquireFence();
        count++;
        VarHandle.releaseFence();
    }

    /** {@return how often it was added to} */
    public long count() {
        return count;
    }
}
