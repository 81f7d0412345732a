package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

/**
 * Loops and lists of actions that run on several cords at once.
 *
 * <p>The calling fiber works along. So on one of the scheduler's cords a call ends also when no
 * other cord has time for it, and costs little more than a plain loop then; called from elsewhere
 * it ends when some cord has had time to look.
 */
public final class Parallel {
    /*
     * The numbers are taken in parts from one counter, by the caller and by at most one task for
     * each other cord. A task that starts late finds none left and ends; the caller has such tasks
     * claimed at once, so that it does not wait for cords that are busy with something else. After a
     * failure the counter jumps to the end. Rejected: splitting in halves, which places many tasks,
     * and balances no better than small parts.
     */

    /** Parts for each cord: enough that cords which got the longer ones do not hold up the end. */
    private static final int PARTS_PER_CORD = 16;

    /** So that the counter, which all may move beyond the end, does not overflow. */
    private static final long MOST_NUMBERS = 1L << 51;

    private static final long FURTHEST = 1L << 62;

    private final Scheduler scheduler;
    private final long end;
    private final long part;
    private final LongConsumer body;
    private final AtomicLong next;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private Parallel(Scheduler scheduler, long from, long to, long part, LongConsumer body) {
        this.scheduler = scheduler;
        this.next = new AtomicLong(from);
        this.end = to;
        this.part = part;
        this.body = body;
    }

    /**
     * Runs the body for each number, in any order, on the cords of the scheduler and in the calling
     * fiber, and returns when all is done. A switchpoint. The body may wait like any fiber; between
     * two parts of the loop a fiber gives way, and there it ends if it is terminated or cancelled.
     *
     * @param scheduler on whose cords it runs
     * @param from the first number
     * @param to the number after the last one; the loop is empty if it is not greater
     * @param body is run once for each number
     * @throws FiberFailedException if the body failed, or somebody ended a fiber of the loop in the
     *     middle of a part; parts that have not begun then are left out
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if no fiber runs on this thread
     * @throws IllegalArgumentException if there are more than 2^51 numbers, or larger ones than
     *     2^62
     */
    public static void forEach(Scheduler scheduler, long from, long to, LongConsumer body) {
        long parts = (long) PARTS_PER_CORD * Math.max(1, scheduler.stats().cords());
        long numbers = Math.max(1, to - from); // checked below
        forEach(scheduler, from, to, Math.max(1, numbers / parts), body);
    }

    /**
     * Like {@link #forEach(Scheduler, long, long, LongConsumer)}, with a size for the parts: large
     * enough that a part takes some microseconds, small enough that there are several for each
     * cord.
     *
     * @param scheduler on whose cords it runs
     * @param from the first number
     * @param to the number after the last one; the loop is empty if it is not greater
     * @param part how many numbers are taken at a time, at least 1
     * @param body is run once for each number
     * @throws FiberFailedException if the body failed; what has not begun then is left out
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if no fiber runs on this thread
     * @throws IllegalArgumentException if the part is less than 1, or there are more than 2^51
     *     numbers, or larger ones than 2^62
     */
    public static void forEach(
            Scheduler scheduler, long from, long to, long part, LongConsumer body) {
        Objects.requireNonNull(body, "body");
        Fiber.current();
        if (part < 1) {
            throw new IllegalArgumentException("part=" + part + " < 1: nothing would ever be done");
        }
        if (to <= from) {
            return;
        }
        long numbers = to - from;
        if (numbers < 0 || numbers > MOST_NUMBERS || Math.abs(to) > FURTHEST) {
            throw new IllegalArgumentException(
                    "from="
                            + from
                            + " to="
                            + to
                            + " are too many numbers, or too large ones, for one loop: at most 2^51"
                            + " numbers up to 2^62");
        }
        new Parallel(scheduler, from, to, Math.min(part, numbers), body).run();
    }

    /**
     * Runs the actions at the same time, as far as there are cords for them, and returns when all
     * are done; the first one runs in the calling fiber. A switchpoint.
     *
     * @param scheduler on whose cords they run
     * @param actions what is run; none is fine
     * @throws FiberFailedException if one failed; those that have not begun then are left out
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void run(Scheduler scheduler, Action... actions) {
        List<Action> all = List.of(actions);
        forEach(scheduler, 0, all.size(), 1, index -> runChecked(all.get((int) index)));
    }

    private static void runChecked(Action action) {
        try {
            action.run();
        } catch (Exception e) {
            throw FiberAwait.<RuntimeException>sneaky(e);
        }
    }

    // ---------------------------------------------------------------- one call

    private void run() {
        long parts = (end - next.get() + part - 1) / part;
        long helpers = Math.min(parts, scheduler.stats().cords()) - 1;
        long mine = next.getAndAdd(part); // the first is the caller's
        Scope.run(
                scope -> {
                    Fiber<?>[] tasks = new Fiber<?>[(int) Math.max(0, helpers)];
                    for (int i = 0; i < tasks.length; i++) {
                        tasks[i] = scope.spinOn(scheduler, "part of a loop", this::help);
                    }
                    work(mine);
                    for (Fiber<?> task : tasks) {
                        task.startNow();
                    }
                });
        Throwable failed = failure.get();
        if (failed != null) {
            throw new FiberFailedException(
                    "a loop or list of actions of "
                            + Fiber.current()
                            + " failed: "
                            + FiberCore.textOf(failed),
                    failed);
        }
    }

    private @Nullable Object help() {
        work(next.getAndAdd(part));
        return null;
    }

    private void work(long mine) {
        for (long first = mine; first < end; first = next.getAndAdd(part)) {
            long last = Math.min(end, first + part);
            try {
                for (long number = first; number < last; number++) {
                    body.accept(number);
                }
            } catch (Signal ended) {
                // What it leaves of its part nobody else would do.
                failure.compareAndSet(
                        null,
                        new FiberTerminatedException(
                                Fiber.current(),
                                Fiber.current() + " was ended in the middle of a part",
                                ended));
                next.set(end);
                throw ended;
            } catch (Throwable failed) {
                failure.compareAndSet(null, failed);
                next.set(end);
                return;
            }
            Fiber.snooze();
        }
    }
}
