package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.context.ContextHook;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Carries context that other code binds to the thread, such as a security identity or the MDC of
 * SLF4J, from fiber to fiber (rule F10): the context that a fiber sets is there whenever it runs,
 * and other fibers do not see it. {@link CordOptions#withSwitchHooks} registers hooks for a cord;
 * one hook may serve many.
 *
 * {@snippet file="dev/ropewalk/fibers/internal/context/SwitchHookTest.java" region="identity"}
 *
 * <p>When a fiber leaves the thread, the hook reads the context and keeps it for the fiber. When
 * one comes, the hook sets that fiber's context, but only if the thread has another: the context
 * stays on the thread until a fiber needs a different one. A fiber begins with the context that its
 * parent has when it spins it, even on another cord if that has the same hook. A fiber that a plain
 * thread spins begins with the initial context. A cord's root fiber begins with the context of the
 * thread, which gets it back at the end. A restarted fiber begins again with the context that it
 * first began with.
 *
 * <p>Code of a {@link dev.ropewalk.fibers.blocking.BlockingPool} runs with the context that its
 * caller has then; what it sets stays on its thread.
 *
 * <p>Messages run with the thread's own context, and so does the cord while it sleeps. A hook of a
 * fiber's end, and the uncaught handler, may find the fiber's context.
 *
 * <p>Exceptions of {@code get} and {@code set} go to the cord's uncaught handler, with the fiber
 * whose context it was, and that fiber runs with the context that happens to be there. A hook that
 * cannot even read the context of the cord's thread when the cord begins is not used there. They
 * run as no fiber and must not wait; a hook that blocks, blocks the cord.
 *
 * <p>On {@link StackKind#VIRTUAL_THREAD} a fiber's thread is its virtual one. Context that hangs on
 * {@link Thread#currentThread}, as thread-locals do, is carried there too; context of the system's
 * thread below it is not while a call of the JDK blocks.
 *
 * @param <T> the type of the context; compared by {@code equals}, so the objects that the hook
 *     returns must not be changed later
 */
public abstract sealed class SwitchHook<T extends @Nullable Object> permits ContextHook {
    /** For the one class of the library that implements it. */
    protected SwitchHook() {}

    /**
     * {@return a hook}
     *
     * @param <T> the type of the context
     * @param name shown in reports
     * @param initial what fibers begin with that plain threads spin
     * @param get reads the context of the current thread
     * @param set sets the context of the current thread
     */
    public static <T extends @Nullable Object> SwitchHook<T> of(
            String name, T initial, Supplier<? extends T> get, Consumer<? super T> set) {
        return new ContextHook<>(name, initial, get, set);
    }

    /**
     * {@return a hook that carries the MDC, the diagnostic context of SLF4J's loggers}
     *
     * <p>Each switch copies the fiber's map once. With a logger that has no MDC it does nothing.
     */
    public static SwitchHook<Map<String, String>> mdc() {
        return ContextHook.mdc(MDC.getMDCAdapter());
    }
}
