package dev.ropewalk.fibers.internal.boot;

import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.internal.platform.Affinity;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.watch.Ticker;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The thread of a started cord, from the hands of its factory until it is the cord.
 *
 * <pre>
 *   MADE     -> STARTING   start, before it starts the thread
 *   STARTING -> TAKEN      the thread has come; it answers whether it could have its CPUs
 *   STARTING -> LEFT       the thread could not be started, or it ended, or is late, and has not
 *                          run what it was given
 * </pre>
 *
 * <p>The thread itself asks for its CPUs, so its starter waits for its answer, and for nothing
 * where nothing can go wrong. A factory may return a thread that runs other code. The starter
 * notices when that thread ends, or by a limit, so it does not wait for ever.
 */
public final class CordThread {
    private static final long LATE_NS = TimeUnit.SECONDS.toNanos(10);

    /**
     * A thread that ends without an answer does not wake the starter, so the starter looks again
     * and again.
     */
    private static final long POLL_MS = 5;

    private final CordOptions options;
    private final Start start;
    private final Thread thread;

    private enum State {
        MADE,
        STARTING,
        TAKEN,
        LEFT
    }

    /**
     * Makes the thread and does not start it.
     *
     * @throws IllegalArgumentException if the factory's thread cannot be a cord's
     * @throws UnsupportedOperationException if it is to be restricted to CPUs, and cannot be here
     */
    CordThread(CordOptions options) {
        this.options = options;
        Set<Integer> cpus = options.thread().cpus();
        if (!cpus.isEmpty()) {
            Affinity.checkSupported(textOf(options), cpus);
        }
        this.start = new Start(options);
        this.thread = make(options, start);
    }

    private static Thread make(CordOptions options, Runnable start) {
        ThreadFactory factory = options.thread().factory();
        if (factory == null) {
            return new Thread(null, start, options.name(), options.stackSize());
        }
        Thread made = factory.newThread(start);
        if (made == null || made.isVirtual() || made.getState() != Thread.State.NEW) {
            throw new IllegalArgumentException(
                    textOf(options)
                            + ": the thread factory gave "
                            + (made == null ? "null" : made + " in state " + made.getState())
                            + "; it must give a new, unstarted platform thread for the Runnable"
                            + " that it is given");
        }
        return made;
    }

    /** Runs a cord on its caller's thread, on the CPUs of its options. */
    public static void onCallersCpus(CordOptions options, Runnable loop) {
        Set<Integer> cpus = options.thread().cpus();
        if (cpus.isEmpty()) {
            loop.run();
        } else {
            Affinity.checkSupported(textOf(options), cpus);
            Ticker.ensureStarted();
            Affinity.during(textOf(options), cpus, loop);
        }
    }

    Thread thread() {
        return thread;
    }

    /**
     * Starts the thread and waits until it has its CPUs.
     *
     * @param loop what it runs then
     * @throws IllegalArgumentException if it cannot have its CPUs, or does not run what the factory
     *     was given
     * @throws IllegalStateException if the system's answer is an unknown one
     */
    void start(Runnable loop) {
        boolean answers = options.thread().factory() != null || !options.thread().cpus().isEmpty();
        if (answers) {
            // Threads inherit the CPUs of their makers: that one is not to be made by this.
            Ticker.ensureStarted();
        }
        start.begin(thread, loop);
        try {
            thread.start();
        } catch (Throwable failed) {
            start.state(State.STARTING, State.LEFT); // even if other code has started it
            throw failed;
        }
        if (answers) {
            awaitAnswer();
            start.check();
        }
    }

    private void awaitAnswer() {
        long startNs = RealPlatform.now();
        boolean interrupted = false;
        boolean answered = false;
        while (!answered) {
            boolean mayCome = thread.isAlive() && RealPlatform.now() - startNs < LATE_NS;
            try {
                answered = start.answer.await(POLL_MS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                interrupted = true; // it takes no longer than a thread takes to start
            }
            if (!answered && !mayCome && start.state(State.STARTING, State.LEFT)) {
                start.refusal =
                        new IllegalArgumentException(
                                textOf(options)
                                        + ": "
                                        + thread
                                        + ", which the thread factory gave, did not run what the"
                                        + " factory was given; make it new Thread(runnable)");
                answered = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static String textOf(CordOptions options) {
        return "cord " + options.name();
    }

    /** The body of the thread. */
    private static final class Start implements Runnable {
        private final CordOptions options;
        private final CountDownLatch answer = new CountDownLatch(1);
        private final AtomicReference<State> state = new AtomicReference<>(State.MADE);
        private volatile @Nullable Thread thread;
        private volatile @Nullable Runnable loop;
        private volatile @Nullable Throwable refusal;

        Start(CordOptions options) {
            this.options = options;
        }

        /** The one writer of the state; see the table above. */
        private boolean state(State from, State to) {
            return state.compareAndSet(from, to);
        }

        void begin(Thread starting, Runnable toRun) {
            thread = starting;
            loop = toRun;
            state(State.MADE, State.STARTING);
        }

        @Override
        public void run() {
            if (Thread.currentThread() != thread || !state(State.STARTING, State.TAKEN)) {
                throw new IllegalStateException(
                        Thread.currentThread()
                                + " cannot run "
                                + textOf(options)
                                + ": only the thread that its factory gave does, once, when"
                                + " Cord.start has started it");
            }
            Set<Integer> cpus = options.thread().cpus();
            try {
                if (!cpus.isEmpty()) {
                    Affinity.restrict(textOf(options), cpus);
                }
            } catch (Throwable refused) {
                refusal = refused; // rethrown to the starter of the cord
                return;
            } finally {
                answer.countDown();
            }
            Objects.requireNonNull(loop, "loop").run();
        }

        /** By its starter: the message is the thread's, the stack is the caller's. */
        void check() {
            Throwable refused = refusal;
            if (refused instanceof IllegalArgumentException) {
                throw new IllegalArgumentException(refused.getMessage(), refused);
            } else if (refused != null) {
                throw new IllegalStateException(
                        textOf(options) + " was not started: " + refused, refused);
            }
        }
    }
}
