package dev.ropewalk.fibers.cancellation;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;

/** What the JDK and users' code wrap a signal in that passes through them. */
public enum Wrapping {
    /** Also the one that wraps nothing. */
    NONE,
    REFLECTION,
    PROXY,
    FUTURE_TASK,
    COMPLETABLE_FUTURE,
    CATCH,
    ALL;

    private static final int DEEP = 20;

    /** What is called through a {@link Method}, and a proxy, that declare no exception. */
    @FunctionalInterface
    public interface Service {
        Object serve();
    }

    /** Calls the code, and throws what it throws as this wraps it. */
    public Object call(Callable<?> code) throws Exception {
        return switch (this) {
            case NONE -> code.call();
            case REFLECTION -> method().invoke(service(code));
            case PROXY -> proxy(code).serve();
            case FUTURE_TASK -> {
                FutureTask<?> task = new FutureTask<>(code);
                task.run();
                yield task.get();
            }
            case COMPLETABLE_FUTURE ->
                    CompletableFuture.supplyAsync(() -> service(code).serve(), Runnable::run)
                            .join();
            case CATCH -> {
                try {
                    yield code.call();
                } catch (Throwable t) {
                    throw new IOException(t);
                }
            }
            case ALL -> {
                Callable<?> wrapped = code;
                for (int i = 0; i < DEEP; i++) {
                    Wrapping next = values()[i % (values().length - 1)];
                    Callable<?> inner = wrapped;
                    wrapped = () -> next.call(inner);
                }
                yield wrapped.call();
            }
        };
    }

    private static Method method() throws NoSuchMethodException {
        Method serve = Service.class.getMethod("serve");
        serve.setAccessible(true);
        return serve;
    }

    private static Service service(Callable<?> code) {
        return () -> {
            try {
                return code.call();
            } catch (Exception e) {
                throw Wrapping.<RuntimeException>sneaky(e);
            }
        };
    }

    private static Service proxy(Callable<?> code) {
        return (Service)
                Proxy.newProxyInstance(
                        Service.class.getClassLoader(),
                        new Class<?>[] {Service.class},
                        (self, method, args) -> method.invoke(service(code), args));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> X sneaky(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
