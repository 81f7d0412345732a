package dev.ropewalk.fibers.internal.stack;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The threads of a cord's portable stacks.
 *
 * <p>An executor starts them, because the JDK keeps a list of all other virtual threads that have
 * not ended: those of abandoned fibers would stay for as long as the JVM runs. Those of an executor
 * are known to it alone, and are garbage with it, as light stacks are.
 *
 * <p>Confined to the thread that has the cord's baton.
 */
public final class PortableThreads {
    private final ExecutorService executor;
    private @Nullable Thread made;

    /** For the cord of that name. */
    public PortableThreads(String cord) {
        Thread.Builder builder =
                Thread.ofVirtual().name("worker of " + cord).inheritInheritableThreadLocals(false);
        this.executor =
                Executors.newThreadPerTaskExecutor(
                        task -> {
                            Thread thread = builder.unstarted(task);
                            made = thread;
                            return thread;
                        });
    }

    /** Starts a thread, and returns it. */
    Thread start(Runnable task) {
        executor.execute(task);
        Thread started = Objects.requireNonNull(made, "thread");
        made = null;
        return started;
    }
}
