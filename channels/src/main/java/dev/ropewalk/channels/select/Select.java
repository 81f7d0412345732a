package dev.ropewalk.channels.select;

import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Waits for the first of several alternatives, takes it, and returns the value that it makes (rule
 * C4).
 *
 * {@snippet :
 * String what = Select.of(
 *         orders.onReceive(order -> "order " + order.id()),
 *         replies.onSend(next, () -> "sent"),
 *         worker.onOutcome(ended -> "worker ended"),
 *         Select.after(Duration.ofSeconds(1), () -> "silence"))
 *     .await();
 * }
 *
 * <p>Exactly one alternative takes effect; the others take and give nothing. If several are ready,
 * one is drawn at random, each as likely; with {@link #byPriority} it is the first in the list. A
 * closed channel is ready: the select throws {@link ChannelClosedException} if it takes that
 * alternative, or goes on with a value if the clause was made by {@code onReceiveResult} or {@code
 * onSendResult}.
 *
 * <p>The alternatives may be local and shared in any mix, and the same channel may stand in it
 * several times, as sender and as receiver too; a select never sends to itself. {@link
 * Clause#onlyIf} leaves an alternative out. A select is immutable and may be awaited as often as
 * wanted, by several fibers too, where what it waits at allows that.
 *
 * @param <R> the type of the result
 */
public final class Select<R extends @Nullable Object> {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final List<Clause<? extends R>> clauses;
    private final boolean isByPriority;

    /** The action if no alternative is ready in time; null for no limit and no default. */
    private final @Nullable Otherwise<? extends R> otherwise;

    private Select(
            List<Clause<? extends R>> clauses,
            boolean isByPriority,
            @Nullable Otherwise<? extends R> otherwise) {
        this.clauses = clauses;
        this.isByPriority = isByPriority;
        this.otherwise = otherwise;
    }

    /**
     * {@return a select between the alternatives}
     *
     * @param <R> the type of the result
     * @param clauses the alternatives, at least one; a limit or a default may stand anywhere among
     *     them. Of several limits the shortest counts
     * @throws IllegalArgumentException if the list is empty, or there are two defaults
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the list copies them
    public static <R extends @Nullable Object> Select<R> of(Clause<? extends R>... clauses) {
        return of(Arrays.asList(clauses));
    }

    /**
     * {@return a select between the alternatives}
     *
     * @param <R> the type of the result
     * @param clauses as for {@link #of(Clause...)}
     * @throws IllegalArgumentException if the list is empty, or there are two defaults
     */
    public static <R extends @Nullable Object> Select<R> of(
            List<? extends Clause<? extends R>> clauses) {
        if (clauses.isEmpty()) {
            throw new IllegalArgumentException(
                    "clauses=[]: a select without alternatives would wait for ever");
        }
        List<Clause<? extends R>> real = new ArrayList<>(clauses.size());
        Otherwise<? extends R> otherwise = null;
        for (Clause<? extends R> each : clauses) {
            Objects.requireNonNull(
                    each, "clause is null; to leave one out use clause.onlyIf(false)");
            if (each instanceof Otherwise<? extends R> one) {
                otherwise = otherwise == null ? one : sooner(otherwise, one);
            } else {
                real.add(each);
            }
        }
        return new Select<>(real, false, otherwise);
    }

    private static <R extends @Nullable Object> Otherwise<? extends R> sooner(
            Otherwise<? extends R> one, Otherwise<? extends R> other) {
        if (one.isDefault() && other.isDefault()) {
            throw new IllegalArgumentException(
                    "two defaults: a select takes one of them; leave the other out");
        }
        return one.limitNanos() <= other.limitNanos() ? one : other;
    }

    /**
     * {@return the alternative that is taken if no other was ready within the limit}
     *
     * @param <R> the type of the result
     * @param limit how long the others have; 0 gives them one turn of the cord
     * @param silence makes the result
     * @throws IllegalArgumentException if the limit is negative, or longer than 292 years
     */
    public static <R extends @Nullable Object> Clause<R> after(
            Duration limit, Supplier<? extends R> silence) {
        return new Otherwise<>(Waits.nanos(limit), Objects.requireNonNull(silence, "silence"));
    }

    /**
     * {@return the alternative that is taken if no other is ready now: the default} A select with
     * it never waits; it is a switchpoint all the same, so a loop around it does not starve other
     * fibers.
     *
     * @param <R> the type of the result
     * @param notReady makes the result
     */
    public static <R extends @Nullable Object> Clause<R> otherwise(Supplier<? extends R> notReady) {
        return new Otherwise<>(Selection.NO_WAIT, Objects.requireNonNull(notReady, "notReady"));
    }

    /** {@return the same select, but of several alternatives that are ready it takes the first} */
    public Select<R> byPriority() {
        return new Select<>(clauses, true, otherwise);
    }

    /**
     * Waits until an alternative is ready, takes it, and makes its value. A switchpoint even if an
     * alternative is ready: if the fiber is terminated or cancelled, this throws and no alternative
     * takes effect. Works on plain threads too.
     *
     * @return what the alternative makes; null only if it makes null
     * @throws ChannelClosedException if the alternative that was taken is at a closed channel
     * @throws IllegalStateException if it would wait for ever, because each alternative is disabled
     * @throws WrongThreadException if an alternative is local to another cord
     * @throws WaitInterruptedException if a plain thread was interrupted; nothing was taken
     */
    public R await() {
        Selection<R> selection = new Selection<>(clauses, isByPriority);
        if (otherwise == null) {
            selection.await(NO_LIMIT);
            return selection.result();
        }
        return selection.await(otherwise.limitNanos())
                ? selection.result()
                : otherwise.result(null);
    }

    @Override
    public String toString() {
        return "select of " + clauses + (otherwise == null ? "" : ", " + otherwise);
    }
}
