package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Runs code that blocks its thread away from the cord, on virtual threads, while the fiber waits
 * (rule F12).
 *
 * <p>At most {@value #MOST_AT_ONCE} calls run at once in the process; further callers wait in FIFO
 * order, each holding its fiber, so the queue is bounded by the fibers that wait.
 */
public final class Blocking {
    /** Calls that run at once; the others wait for a place. */
    static final int MOST_AT_ONCE = 256;

    /** How long an interrupted call may take to return before it is abandoned. */
    private static final long STOP_LIMIT_NS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(Blocking.class);
    private static final Object LOCK = new Object();
    private static final ArrayDeque<Call<?>> QUEUE = new ArrayDeque<>();
    private static int runningCalls;

    private Blocking() {}

    /**
     * Runs the code on a virtual thread and waits for its result. A switchpoint. On a virtual
     * clock, and on a thread that is no cord, it runs inline.
     *
     * <p>Terminating or raising into the waiting fiber interrupts the code, waits up to a second
     * for it to return, and then abandons it with a report. A result that nobody takes is closed if
     * it is {@link AutoCloseable}.
     *
     * @param <T> the type of the result
     * @param code what blocks; must not touch data of the cord
     * @return what the code returned
     * @throws Exception what the code threw
     */
    public static <T extends @Nullable Object> T call(Callable<? extends T> code) throws Exception {
        Objects.requireNonNull(code, "code");
        Cord cord = Cord.currentOrNull();
        if (cord == null) {
            return code.call();
        }
        Fiber.current().raiseIfDue();
        if (cord.isVirtual()) {
            return code.call();
        }
        Call<T> call = new Call<>(code);
        submit(call);
        try {
            call.waiter.await("a blocking call");
        } catch (Throwable raised) {
            call.giveUp();
            throw raised;
        }
        return call.take();
    }

    private static void submit(Call<?> call) {
        synchronized (LOCK) {
            if (runningCalls == MOST_AT_ONCE) {
                QUEUE.add(call);
                return;
            }
            runningCalls++;
        }
        call.start();
    }

    private static void startNext() {
        Call<?> next;
        synchronized (LOCK) {
            next = QUEUE.poll();
            if (next == null) {
                runningCalls--;
                return;
            }
        }
        next.start();
    }

    /** One call: run once by its virtual thread; its outcome is handed over by the waiter. */
    private static final class Call<T extends @Nullable Object> implements Runnable {
        private final Callable<? extends T> code;
        private final Waiter waiter = new Waiter();
        private final Fiber<?> fiber = Fiber.current();

        /** Null until the call may start; guarded by LOCK. */
        private @Nullable Thread thread;

        /** The fiber gave up; guarded by LOCK. */
        private boolean cancelled;

        /** The place among the calls that run at once is free again; guarded by LOCK. */
        private boolean placeLeft;

        /** Written before the waiter is given. */
        private @Nullable Outcome<T> outcome;

        private volatile boolean over;

        /** The second wait, for the end of an interrupted call. */
        private volatile @Nullable Waiter endWaiter;

        Call(Callable<? extends T> code) {
            this.code = code;
        }

        void start() {
            Thread started =
                    Thread.ofVirtual().name("blocking for " + fiber.name()).unstarted(this);
            synchronized (LOCK) {
                thread = started;
                if (cancelled) {
                    started.interrupt();
                }
            }
            started.start();
        }

        @Override
        public void run() {
            try {
                outcome = new Outcome.Success<>(code.call());
            } catch (Throwable t) {
                outcome = new Outcome.Failure<>(t);
            }
            over = true;
            leavePlace();
            if (!waiter.give(null)) {
                dispose();
            }
            Waiter end = endWaiter;
            if (end != null) {
                end.give(null);
            }
        }

        /** Once: at the end of the call, or when it is abandoned. */
        private void leavePlace() {
            synchronized (LOCK) {
                if (placeLeft) {
                    return;
                }
                placeLeft = true;
            }
            startNext();
        }

        /** The fiber was raised into: interrupt, wait a while, then leave the call behind. */
        void giveUp() {
            synchronized (LOCK) {
                if (QUEUE.remove(this)) {
                    return;
                }
                cancelled = true;
                if (thread != null) {
                    thread.interrupt();
                }
            }
            boolean ended = fiber.shielded(this::awaitEnd);
            if (!ended) {
                leavePlace();
                fiber.cord()
                        .reportUncaught(
                                fiber,
                                new FiberAbandonedException(
                                        "a blocking call of "
                                                + fiber
                                                + " ignored its interrupt for "
                                                + STOP_LIMIT_NS / 1_000_000
                                                + " ms and was abandoned"));
            }
        }

        private boolean awaitEnd() {
            Waiter end = new Waiter();
            endWaiter = end;
            if (over) {
                return true;
            }
            Object result = end.await("an interrupted blocking call", STOP_LIMIT_NS);
            return result != Waits.TIMED_OUT;
        }

        T take() throws Exception {
            Outcome<T> ended = Objects.requireNonNull(outcome, "outcome");
            return switch (ended) {
                case Outcome.Success<T> success -> success.value();
                case Outcome.Failure<T> failure ->
                        throw FiberAwait.<Exception>sneaky(failure.cause());
                case Outcome.Stopped<T> _, Outcome.Terminated<T> _, Outcome.Abandoned<T> _ ->
                        throw new IllegalStateException("not a fiber");
            };
        }

        private void dispose() {
            if (outcome instanceof Outcome.Success<T> success
                    && success.value() instanceof AutoCloseable closeable) {
                try {
                    closeable.close();
                } catch (Throwable e) {
                    LOG.warn("closing the untaken result of a blocking call of {}", fiber, e);
                }
            }
        }
    }
}
