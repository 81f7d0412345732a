package dev.ropewalk.fibers.scheduler;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/**
 * Loops and lists of actions that run on several cords at once.
 *
 * <p>The calling fiber works along. So on one of the scheduler's cords a call ends also when no
 * other cord has time for it, and costs little more than a plain loop then; called from elsewhere
 * it ends when some cord has had time to poll.
 */
public final class Parallel {
    /*
     * The numbers are taken in parts from one counter, by the caller and by at most one task for
     * each other cord. A task that starts late finds no number left and ends; the caller has such
     * tasks claimed at once, so that it does not wait for cords that are busy with other work.
     * After a failure the counter jumps to the end, and the scope of the tasks is cancelled.
     * Rejected: splitting in halves, which places many tasks, and balances no better than small
     * parts.
     */

    /** Parts for each cord: enough that cords which got the longer ones do not hold up the end. */
    private static final int PARTS_PER_CORD = 16;

    /** So that the counter, which all may move beyond the end, does not overflow. */
    private static final long MAX_NUMBERS = 1L << 51;

    private static final long FURTHEST = 1L << 62;

    /** The largest array that every JVM makes. */
    private static final int MAX_RESULTS = Integer.MAX_VALUE - 8;

    private final Scheduler scheduler;
    private final long end;
    private final long part;
    private final LongConsumer body;
    private final AtomicLong next;

    /** The exceptions of the body, the first one first. */
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /**
     * Exceptions of the body while it was being ended: no failures, but told with the caller's end.
     */
    private final Queue<Throwable> wrappers = new ConcurrentLinkedQueue<>();

    /** A fiber was ended from outside; otherwise a failure, or the caller's end, ends them. */
    private final AtomicReference<@Nullable Throwable> endedBy = new AtomicReference<>();

    /** Written before the first of them is spun. */
    private @Nullable Scope<@Nullable Object> scope;

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
     * two parts of the loop a fiber yields, and there it ends if it is terminated or cancelled.
     *
     * @param scheduler on whose cords it runs
     * @param from the first number
     * @param to the number after the last one; the loop is empty if it is not greater
     * @param body is run once for each number
     * @throws FiberFailedException if the body failed, or a fiber of the loop was ended from
     *     outside in the middle of a part. Its cause is the first failure, later ones are its
     *     suppressed; the other fibers are cancelled where they wait, and parts that have not begun
     *     are left out
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
     * @throws FiberFailedException as there
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
        if (numbers < 0 || numbers > MAX_NUMBERS || Math.abs(to) > FURTHEST) {
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
     * @param actions what is run; may be empty
     * @throws FiberFailedException if one failed; the others are cancelled where they wait, and
     *     those that have not begun are left out. Later failures are its suppressed
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void run(Scheduler scheduler, Action... actions) {
        List<Action> all = List.of(actions);
        forEach(scheduler, 0, all.size(), 1, index -> runChecked(all.get((int) index)));
    }

    // ---------------------------------------------------------------- results in order

    /**
     * Calls the function for each item, like the body of {@link #forEach(Scheduler, long, long,
     * LongConsumer)}, and returns the results in the order of the items. A switchpoint. A call may
     * stand in the function of another one, also on the same scheduler.
     *
     * @param <T> the type of the items
     * @param <R> the type of the results
     * @param scheduler on whose cords it runs
     * @param items copied at the beginning; may be empty
     * @param function is called once for each item, and may wait like any fiber
     * @return the results; an unmodifiable list
     * @throws FiberFailedException if the function failed, see there
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if no fiber runs on this thread
     */
    @SuppressWarnings("unchecked") // the elements of the collection are its items
    public static <T extends @Nullable Object, R extends @Nullable Object> List<R> map(
            Scheduler scheduler,
            Collection<? extends T> items,
            Function<? super T, ? extends R> function) {
        Objects.requireNonNull(function, "function");
        T[] all = (T[]) items.toArray();
        return map(scheduler, 0, all.length, index -> function.apply(all[(int) index]));
    }

    /**
     * Calls the function for each number, like the body of {@link #forEach(Scheduler, long, long,
     * LongConsumer)}, and returns the results in the order of the numbers. A switchpoint.
     *
     * @param <R> the type of the results
     * @param scheduler on whose cords it runs
     * @param from the first number
     * @param to the number after the last one; the list is empty if it is not greater
     * @param function is called once for each number, and may wait like any fiber
     * @return the results; an unmodifiable list
     * @throws FiberFailedException if the function failed, see there
     * @throws CordClosedException if the scheduler is closed
     * @throws IllegalStateException if no fiber runs on this thread
     * @throws IllegalArgumentException if there are more numbers than a list can hold, 2^31 - 9
     */
    @SuppressWarnings("unchecked") // it holds what the function returns
    public static <R extends @Nullable Object> List<R> map(
            Scheduler scheduler, long from, long to, LongFunction<? extends R> function) {
        Objects.requireNonNull(function, "function");
        Fiber.current();
        if (to > from && (to - from < 0 || to - from > MAX_RESULTS)) {
            throw new IllegalArgumentException(
                    "from="
                            + from
                            + " to="
                            + to
                            + " are more numbers than a list can hold, "
                            + MAX_RESULTS
                            + "; use forEach, and put the results elsewhere");
        }
        R[] results = (R[]) new Object[(int) Math.max(0, to - from)];
        forEach(
                scheduler,
                from,
                to,
                number -> results[(int) (number - from)] = function.apply(number));
        return Collections.unmodifiableList(Arrays.asList(results));
    }

    private static void runChecked(Action action) {
        try {
            action.run();
        } catch (Exception e) {
            throw Unchecked.<RuntimeException>sneaky(e);
        }
    }

    // ---------------------------------------------------------------- one call

    private void run() {
        Waits.switchpoint(); // before anything begins elsewhere
        long parts = (end - next.get() + part - 1) / part;
        long helpers = Math.min(parts, scheduler.stats().cords()) - 1;
        long mine = next.getAndAdd(part); // the first is the caller's
        try {
            Scope.run(opened -> runIn(opened, helpers, mine));
        } catch (CancelledException cancelled) {
            if (failures.isEmpty() && endedBy.get() == null) {
                throw cancelled;
            }
        } catch (Throwable ended) {
            failures.forEach(ended::addSuppressed);
            wrappers.stream().filter(each -> each != ended).forEach(ended::addSuppressed);
            throw ended;
        }
        Throwable first = failures.isEmpty() ? endedBy.get() : failures.peek();
        if (first != null) {
            throw failed(first);
        }
    }

    private void runIn(Scope<@Nullable Object> opened, long helpers, long mine) {
        scope = opened;
        List<Fiber<?>> tasks = new ArrayList<>();
        for (int i = 0; i < helpers; i++) {
            try {
                tasks.add(opened.spinOn(scheduler, "part of a loop", this::help));
            } catch (TaskRejectedException tooMany) {
                break; // the caller goes on with those that it has
            }
        }
        work(mine);
        tasks.forEach(task -> FiberImpl.of(task).startNow());
    }

    private FiberFailedException failed(Throwable first) {
        FiberFailedException failed =
                new FiberFailedException(
                        "a loop or list of actions of "
                                + Fiber.current()
                                + " failed: "
                                + SafeText.of(first),
                        first);
        failures.stream().skip(1).forEach(failed::addSuppressed);
        return failed;
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
            } catch (Throwable thrown) {
                Error signal = Waits.signalIn(thrown);
                if (signal == null) {
                    failures.add(thrown);
                    endOthers();
                    return;
                }
                // No other fiber would do the rest of its part.
                endedBy.compareAndSet(
                        null,
                        new FiberTerminatedException(
                                Fiber.current(),
                                Fiber.current() + " was ended in the middle of a part",
                                signal));
                if (thrown != signal) {
                    wrappers.add(thrown);
                }
                endOthers();
                throw Unchecked.<RuntimeException>sneaky(thrown);
            }
            FiberImpl.current().yieldHere();
        }
    }

    /** Including those that wait in the middle of a part. */
    private void endOthers() {
        next.set(end);
        Scope<@Nullable Object> open = scope;
        if (open != null) {
            open.cancel();
        }
    }
}
