package dev.ropewalk.benchmarks.system.thread;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadFactory;

/**
 * One thread that carries virtual threads, as the JDK's own scheduler does with several: a
 * fork-join pool, first in, first out. The JDK keeps to itself how a virtual thread gets another
 * scheduler.
 */
final class Carrier implements AutoCloseable {
    private static final MethodHandle BUILDER = builder();

    private final ForkJoinPool pool =
            new ForkJoinPool(1, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);

    private static MethodHandle builder() {
        try {
            MethodHandles.Lookup lang =
                    MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
            return lang.findConstructor(
                    lang.findClass("java.lang.ThreadBuilders$VirtualThreadBuilder"),
                    MethodType.methodType(void.class, Executor.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    ThreadFactory factory() {
        try {
            return ((Thread.Builder.OfVirtual) BUILDER.invoke((Executor) pool)).factory();
        } catch (Throwable e) {
            throw new IllegalStateException("no virtual thread with a scheduler of its own", e);
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
