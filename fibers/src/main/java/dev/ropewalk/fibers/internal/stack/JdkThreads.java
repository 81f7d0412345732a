package dev.ropewalk.fibers.internal.stack;

import dev.ropewalk.fibers.internal.platform.Unchecked;

import org.jspecify.annotations.Nullable;

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
        static final MethodHandle CARRIER;
        static final MethodHandle LOCAL_OF;

        static {
            try {
                MethodHandles.Lookup lang =
                        MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
                NEW_BUILDER = SchedulerShape.newBuilder(lang);
                DEFAULT_SCHEDULER =
                        (Executor)
                                lang.findStatic(
                                                lang.findClass("java.lang.VirtualThread"),
                                                "defaultScheduler",
                                                MethodType.methodType(Executor.class))
                                        .invoke();
                CARRIER =
                        lang.findStatic(
                                Thread.class,
                                "currentCarrierThread",
                                MethodType.methodType(Thread.class));
                LOCAL_OF =
                        MethodHandles.privateLookupIn(ThreadLocal.class, MethodHandles.lookup())
                                .findVirtual(
                                        ThreadLocal.class,
                                        "get",
                                        MethodType.methodType(Object.class, Thread.class));
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

    /** The value that the local has on the thread that carries this one, or is this one. */
    @SuppressWarnings("unchecked") // the local's own value
    public static <T extends @Nullable Object> T ofCarrier(ThreadLocal<T> local) {
        try {
            return (T) (Object) Jdk.LOCAL_OF.invokeExact(local, (Thread) Jdk.CARRIER.invokeExact());
        } catch (Throwable full) { // the stack perhaps
            throw Unchecked.<RuntimeException>sneaky(full);
        }
    }

    /** Goes on with a thread, on the JDK's own scheduler. */
    static void goOn(Runnable continuing) {
        Jdk.DEFAULT_SCHEDULER.execute(continuing);
    }
}
