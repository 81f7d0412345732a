package dev.ropewalk.fibers.internal.stack;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * The threads of a cord's portable stacks.
 *
 * <p>Executors start them, because the JDK keeps a list of all other virtual threads that have not
 * ended: those of abandoned fibers, with all that these hold, would stay for as long as the JVM
 * runs. Those of an executor are known to it alone, and are garbage with it, as light stacks are.
 * So each executor starts a few: one that lives keeps no more than these from being garbage.
 *
 * <p>Confined to the thread that has the cord's baton.
 */
public final class PortableThreads {
    /** An executor takes some 500 bytes. */
    private static final int EACH = 16;

    private final Thread.Builder builder;

    /** Null if the last one has started its threads. */
    private @Nullable ExecutorService executor;

    private int left;
    private @Nullable Thread made;

    /** For the cord of that name. */
    public PortableThreads(String cord) {
        this.builder =
                Thread.ofVirtual().name("worker of " + cord).inheritInheritableThreadLocals(false);
    }

    /** Starts a thread, and returns it. */
    Thread start(Runnable task) {
        ExecutorService starter = executor;
        if (starter == null) {
            starter = Executors.newThreadPerTaskExecutor(this::make);
            executor = starter;
            left = EACH;
        }
        try {
            starter.execute(task);
        } catch (RejectedExecutionException full) {
            throw outOfMemory(full);
        }
        if (--left == 0) {
            executor = null;
        }
        Thread started = Objects.requireNonNull(made, "thread");
        made = null;
        return started;
    }

    /** The queue of the JDK's scheduler could not grow, which it says by another name. */
    private static OutOfMemoryError outOfMemory(RejectedExecutionException full) {
        OutOfMemoryError error = new OutOfMemoryError("for a thread: " + full.getMessage());
        error.initCause(full);
        return error;
    }

    private Thread make(Runnable task) {
        Thread thread = builder.unstarted(task);
        made = thread;
        return thread;
    }

    /** Keeps none from being garbage; needs no memory. */
    public void forgetAll() {
        executor = null;
        made = null;
    }
}
