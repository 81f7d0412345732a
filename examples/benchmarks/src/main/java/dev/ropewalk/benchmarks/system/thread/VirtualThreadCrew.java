package dev.ropewalk.benchmarks.system.thread;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Starts virtual threads, and waits for those that work together. */
final class VirtualThreadCrew {
    /** What a virtual thread does. */
    @FunctionalInterface
    interface Body {
        void run() throws Exception;
    }

    /** What a virtual thread does that fails only by an interrupt. */
    @FunctionalInterface
    interface Waiting {
        void run() throws InterruptedException;
    }

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    private VirtualThreadCrew(List<Body> bodies) {
        for (Body body : bodies) {
            threads.add(Thread.ofVirtual().unstarted(() -> run(body)));
        }
    }

    /**
     * Runs each in a virtual thread of its own until all have ended; if one fails, none goes on.
     */
    static void run(List<Body> bodies) throws InterruptedException {
        VirtualThreadCrew workers = new VirtualThreadCrew(bodies);
        workers.threads.forEach(Thread::start);
        for (Thread thread : workers.threads) {
            thread.join();
        }
        Throwable failed = workers.failure.get();
        if (failed != null) {
            throw new IllegalStateException("a virtual thread failed", failed);
        }
    }

    /** Starts a virtual thread that nobody joins. */
    static void start(Waiting body) {
        Thread.startVirtualThread(() -> runToEnd(body));
    }

    /** For a {@link Runnable}, which cannot declare the interrupt. */
    static void runToEnd(Waiting body) {
        try {
            body.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Lets the others run. A virtual thread that yields goes to the end of the queue. */
    @SuppressWarnings("ThreadPriorityCheck") // The scheduler of virtual threads defines its effect.
    static void giveWay() {
        Thread.yield();
    }

    private void run(Body body) {
        try {
            body.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(e);
        } catch (Throwable e) {
            fail(e);
        }
    }

    private void fail(Throwable cause) {
        if (failure.compareAndSet(null, cause)) {
            threads.forEach(Thread::interrupt);
        }
    }
}
