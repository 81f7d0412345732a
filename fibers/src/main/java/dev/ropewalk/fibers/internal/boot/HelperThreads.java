package dev.ropewalk.fibers.internal.boot;

import dev.ropewalk.fibers.internal.cord.CurrentCord;
import dev.ropewalk.fibers.internal.stack.JdkThreads;

/**
 * Virtual threads on the JDK's own scheduler, made anywhere: a thread that a fiber on a virtual
 * thread makes would inherit its cord as its scheduler, and a call that blocks there blocks the
 * cord.
 */
public final class HelperThreads {
    private HelperThreads() {}

    /** A thread beside all cords. */
    public static Thread unstarted(String name, Runnable task) {
        boolean wouldInherit =
                Thread.currentThread().isVirtual() && CurrentCord.ofCarrier() != null;
        Thread.Builder.OfVirtual builder =
                wouldInherit ? JdkThreads.ofDefaultScheduler() : Thread.ofVirtual();
        return builder.name(name).unstarted(task);
    }
}
