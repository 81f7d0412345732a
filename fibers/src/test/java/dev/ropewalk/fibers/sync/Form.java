package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Function;

/** The two forms in which each thing here comes, and how their one contract suite is run. */
enum Form {
    LOCAL,
    SHARED;

    static final Duration SHORT = Duration.ofMillis(100);
    static final Duration LONG = Duration.ofMillis(300);
    static final Duration FAR = Duration.ofDays(1);

    private static final Duration POLL = Duration.ofMillis(1);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    Semaphore semaphore(int permits, int bound) {
        return this == LOCAL ? Semaphore.local(permits, bound) : Semaphore.shared(permits, bound);
    }

    Event event() {
        return this == LOCAL ? Event.local() : Event.shared();
    }

    Event manualEvent() {
        return this == LOCAL ? Event.localManual() : Event.sharedManual();
    }

    <T extends @Nullable Object> Once<T> once(Callable<? extends T> block) {
        return this == LOCAL ? Once.<T>local(block) : Once.<T>shared(block);
    }

    /** The body of a test of one thing. */
    @FunctionalInterface
    interface Body<T> {
        void run(T thing) throws Exception;
    }

    /** On virtual clocks, in any order; checks the thing afterwards. */
    <T> void test(Function<Form, T> maker, Body<T> check, Body<T> body) {
        TestCord.run(
                () -> {
                    T thing = maker.apply(this);
                    body.run(thing);
                    check.run(thing);
                });
    }

    /** On a virtual clock: lets the others run until all of them wait. */
    static void settle() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    static long now() {
        return Cord.current().nanoTime();
    }

    /** What the action throws. */
    static Throwable failureOf(Action action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            return thrown;
        }
        throw new AssertionError("nothing was thrown");
    }

    /** Blocks this thread until the condition holds, with a limit. */
    static void until(Callable<Boolean> condition) {
        Awaitility.await().pollDelay(Duration.ZERO).pollInterval(POLL).until(condition);
    }

    /** Waits for the thread's end, with a limit. */
    static void join(Thread thread) throws InterruptedException {
        if (!thread.join(LIMIT)) {
            throw new AssertionError(thread + " hangs");
        }
    }
}
