package dev.ropewalk.fibers.internal.stack;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;

/** Virtual threads with a scheduler of choice, which the JDK keeps to itself. */
public final class JdkThreads {
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

    private JdkThreads() {}

    /** A builder of threads that this scheduler runs. */
    static Thread.Builder.OfVirtual builder(Executor scheduler) {
        try {
            return (Thread.Builder.OfVirtual) Jdk.NEW_BUILDER.invokeExact(scheduler);
        } catch (Throwable e) {
            throw new IllegalStateException("no virtual thread with a scheduler of its own", e);
        }
    }

    /** A builder of threads that the JDK's own scheduler runs, whatever thread calls. */
    public static Thread.Builder.OfVirtual ofDefaultScheduler() {
        return builder(Jdk.DEFAULT_SCHEDULER);
    }

    /** Goes on with a thread, on the JDK's own scheduler. */
    static void goOn(Runnable continuing) {
        Jdk.DEFAULT_SCHEDULER.execute(continuing);
    }
}
