package dev.ropewalk.fibers.internal.boot;

import dev.ropewalk.fibers.internal.cord.CordImpl;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/** Whether a thread may become a cord (rule F3). */
public final class CallerCheck {
    private CallerCheck() {}

    public static void check() {
        Thread thread = Thread.currentThread();
        CordImpl here = CordImpl.currentOrNull();
        if (here != null) {
            throw new IllegalStateException(
                    thread
                            + " is "
                            + here
                            + " already; spin a fiber there instead: Fiber.spin(...)");
        }
        if (thread.isVirtual()) {
            throw new IllegalStateException(
                    thread
                            + " is virtual and cannot become a cord; use Cord.start(name), or call"
                            + " Cord.run on a platform thread");
        }
        // A stack that leaves would carry off monitors held below it: their owner loses them.
        ThreadInfo info =
                ManagementFactory.getThreadMXBean()
                        .getThreadInfo(new long[] {thread.threadId()}, true, false)[0];
        if (info.getLockedMonitors().length > 0) {
            throw new IllegalStateException(
                    thread
                            + " holds a monitor of "
                            + info.getLockedMonitors()[0]
                            + " and cannot become a cord; leave the synchronized block first");
        }
    }
}
