package dev.ropewalk.fibers;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;

/**
 * Virtual threads on the JDK's own scheduler, whoever makes them: one that a fiber on a {@link
 * VirtualStack} makes would inherit its cord as its scheduler, and what blocks there blocks the
 * cord.
 */
final class HelperThreads {
    /** In a class of its own, because a plain thread may ask in a JVM without the flags. */
    private static final class Jdk {
        static final MethodHandle NEW_BUILDER;
        static final Executor DEFAULT_SCHEDULER;

        static {
            try {
                MethodHandles.Lookup lang =
                        MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
                NEW_BUILDER =
                        lang.findConstructor(
                                        lang.findClass(
                                                "java.lang.ThreadBuilders$VirtualThreadBuilder"),
                                        MethodType.methodType(void.class, Executor.class))
                                .asType(
                                        MethodType.methodType(
                                                Thread.Builder.OfVirtual.class, Executor.class));
                DEFAULT_SCHEDULER =
                        (Executor)
                                lang.findStatic(
                                                lang.findClass("java.lang.VirtualThread"),
                                                "defaultScheduler",
                                                MethodType.methodType(Executor.class))
                                        .invoke();
            } catch (Throwable e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Jdk() {}
    }

    private HelperThreads() {}

    /** A builder of threads that this scheduler runs. */
    static Thread.Builder.OfVirtual builder(Executor scheduler) {
        try {
            return (Thread.Builder.OfVirtual) Jdk.NEW_BUILDER.invokeExact(scheduler);
        } catch (Throwable e) {
            throw new IllegalStateException("no virtual thread with a scheduler of its own", e);
        }
    }

    /** A thread beside all cords. */
    static Thread unstarted(String name, Runnable task) {
        boolean wouldInherit =
                Thread.currentThread().isVirtual() && CurrentCord.ofCarrier() != null;
        Thread.Builder.OfVirtual builder =
                wouldInherit ? builder(Jdk.DEFAULT_SCHEDULER) : Thread.ofVirtual();
        return builder.name(name).unstarted(task);
    }

    /** Goes on with a thread whose cord has ended. */
    static void goOn(Runnable continuing) {
        Jdk.DEFAULT_SCHEDULER.execute(continuing);
    }
}
