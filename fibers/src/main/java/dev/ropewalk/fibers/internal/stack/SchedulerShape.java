package dev.ropewalk.fibers.internal.stack;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * The shape that the scheduler of a virtual thread has in this JDK: an {@code Executor}, as up to
 * JDK 25, or the {@code Thread.VirtualThreadScheduler} that the Loom repository has in its place,
 * whose methods take the thread's task. Others are not known.
 */
final class SchedulerShape {
    private static final String BUILDER = "java.lang.ThreadBuilders$VirtualThreadBuilder";
    private static final String SCHEDULER = "java.lang.Thread$VirtualThreadScheduler";

    private SchedulerShape() {}

    /** From an {@code Executor} to the builder of threads that it runs. */
    static MethodHandle newBuilder(MethodHandles.Lookup lang) throws ReflectiveOperationException {
        Class<?> builder = lang.findClass(BUILDER);
        MethodHandle made;
        try {
            made = lang.findConstructor(builder, MethodType.methodType(void.class, Executor.class));
        } catch (NoSuchMethodException replaced) {
            Class<?> scheduler = lang.findClass(SCHEDULER);
            made =
                    of(
                            lang.findConstructor(
                                    builder, MethodType.methodType(void.class, scheduler)),
                            scheduler);
        }
        return made.asType(MethodType.methodType(Thread.Builder.OfVirtual.class, Executor.class));
    }

    /** The constructor, which takes a scheduler of that type, with an {@code Executor} for it. */
    private static MethodHandle of(MethodHandle constructor, Class<?> scheduler)
            throws ReflectiveOperationException {
        MethodHandle adapter =
                MethodHandles.lookup()
                        .findStatic(
                                SchedulerShape.class,
                                "adapted",
                                MethodType.methodType(Object.class, Class.class, Executor.class))
                        .bindTo(scheduler)
                        .asType(MethodType.methodType(scheduler, Executor.class));
        return MethodHandles.filterArguments(constructor, 0, adapter);
    }

    /** A scheduler of that type, which has the executor run each task that it is given. */
    static Object adapted(Class<?> scheduler, Executor executor) {
        return Proxy.newProxyInstance(
                scheduler.getClassLoader(),
                new Class<?>[] {scheduler},
                (proxy, method, arguments) ->
                        switch (method.getName()) {
                            case "onStart", "onContinue" -> {
                                executor.execute((Runnable) arguments[arguments.length - 1]);
                                yield null;
                            }
                            case "equals" -> proxy == arguments[0];
                            case "hashCode" -> System.identityHashCode(proxy);
                            case "toString" -> "scheduler of " + executor;
                            default ->
                                    throw new UnsupportedOperationException(
                                            Objects.toString(method));
                        });
    }
}
