package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.platform.JvmFlags.Tie;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.observe.WatchdogReport;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.List;

/**
 * Looks at another thread from outside: at its stack and its CPU time. May take long: not for the
 * ticker.
 */
public final class ThreadSampler {
    /** The CPU time of a thread that has ended, or of any where the JVM does not count it. */
    static final long UNKNOWN = -1;

    /**
     * The form of {@code Thread.getStackTrace} that gives null for a virtual thread that is not
     * running. The public one then suspends it, and hands it to its scheduler again if it became
     * runnable meanwhile; but a thread whose scheduler is a cord belongs to that alone. Null in a
     * JVM without the flag for such threads.
     */
    private static final @Nullable MethodHandle STACK_OF_RUNNING =
            Tie.SCHEDULED_THREADS.isThere() ? stackOfRunning() : null;

    private ThreadSampler() {}

    private static MethodHandle stackOfRunning() {
        try {
            return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
                    .findSpecial(
                            Thread.class,
                            "asyncGetStackTrace",
                            MethodType.methodType(StackTraceElement[].class),
                            Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * The stack of the thread that runs as the cord, innermost call first; empty if it does not
     * run, but for a portable stack's, which waits for a carrier then.
     */
    public static List<StackTraceElement> stack(CordImpl cord) {
        Thread thread = cord.loop.currentThread();
        if (thread == null) {
            return List.of();
        }
        try {
            StackTraceElement @Nullable [] found =
                    STACK_OF_RUNNING == null || cord.stacks() == StackKind.PORTABLE
                            ? thread.getStackTrace()
                            : (StackTraceElement[]) STACK_OF_RUNNING.invokeExact(thread);
            return found == null ? List.of() : List.of(found);
        } catch (Throwable failed) {
            throw Unchecked.<RuntimeException>sneaky(failed);
        }
    }

    /**
     * The monitor that a thread waits to enter; null if it does not, or that is not known. Where no
     * platform thread holds it the JVM gives a {@code ThreadInfo} that has no monitor, and is not
     * even BLOCKED; only the thread itself says so.
     */
    static WatchdogReport.@Nullable Monitor monitor(@Nullable Thread thread) {
        if (thread == null || thread.getState() != Thread.State.BLOCKED) {
            return null;
        }
        try {
            ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.threadId());
            boolean isStill = thread.getState() == Thread.State.BLOCKED;
            if (isStill && thread.isVirtual()) {
                return new WatchdogReport.Monitor(null, null); // the JVM tells nothing of those
            }
            return info == null || !isStill
                    ? null
                    : new WatchdogReport.Monitor(info.getLockName(), info.getLockOwnerName());
        } catch (UnsupportedOperationException | LinkageError notHere) {
            return null;
        }
    }

    /** The CPU time that a platform thread has used so far, in nanoseconds. */
    static long cpuNs(@Nullable Thread thread) {
        if (thread == null) {
            return UNKNOWN;
        }
        try {
            return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId());
        } catch (UnsupportedOperationException | LinkageError notHere) {
            return UNKNOWN;
        }
    }
}
