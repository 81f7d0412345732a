package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Program;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Starts threads, and waits for those that work together: virtual ones of the JDK's scheduler,
 * unless a program says that its two ends are to be apart.
 */
final class ThreadCrew {
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

    /** Where the two ends run. */
    record Ends(ThreadFactory first, ThreadFactory second) {
        /** {@return the program, with its ends there} */
        Program of(Program program) {
            return n -> ScopedValue.where(ENDS, this).<Long, Exception>call(() -> program.run(n));
        }
    }

    private static final ScopedValue<Ends> ENDS = ScopedValue.newInstance();

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    private ThreadCrew(List<Body> bodies, int first) {
        ThreadFactory free = Thread.ofVirtual().factory();
        Ends ends = ENDS.orElse(new Ends(free, free));
        for (int i = 0; i < bodies.size(); i++) {
            Body body = bodies.get(i);
            threads.add((i < first ? ends.first() : ends.second()).newThread(() -> run(body)));
        }
    }

    /**
     * Runs each in a thread of its own until all have ended; if one fails, none goes on. The first
     * one is one end, the others are the other end.
     */
    static void run(List<Body> bodies) throws InterruptedException {
        run(bodies, 1);
    }

    /** The same, where so many are the first end. */
    static void run(List<Body> bodies, int first) throws InterruptedException {
        ThreadCrew workers = new ThreadCrew(bodies, first);
        workers.threads.forEach(Thread::start);
        for (Thread thread : workers.threads) {
            thread.join();
        }
        Throwable failed = workers.failure.get();
        if (failed != null) {
            throw new IllegalStateException("a thread failed", failed);
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
