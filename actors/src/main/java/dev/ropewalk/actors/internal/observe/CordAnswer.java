package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * A question to a cord, answered on it between two fibers; on the cord itself at once. Several may
 * be asked before the first is awaited. A cord that has ended answers on the asker's thread,
 * because nobody else touches what is there then.
 *
 * @param <T> the type of the answer
 */
public final class CordAnswer<T> extends CordMessage {
    private record Failed(Throwable failure) {}

    private final Object asked;
    private final Supplier<T> question;

    /** Null if it was answered at once. */
    private final @Nullable WaitCell waiter;

    private @Nullable Object atOnce;

    private CordAnswer(Object asked, Supplier<T> question, @Nullable WaitCell waiter) {
        this.asked = asked;
        this.question = question;
        this.waiter = waiter;
    }

    /**
     * Asks, and does not wait.
     *
     * @param asked for reports
     * @throws IllegalStateException if this thread is another cord, and no fiber runs there now
     */
    public static <T> CordAnswer<T> of(Cord cord, Object asked, Supplier<T> question) {
        boolean isHere = cord.isCurrent();
        CordAnswer<T> answer = new CordAnswer<>(asked, question, isHere ? null : new WaitCell());
        if (isHere) {
            answer.atOnce = answer.answer();
        } else {
            cord.post(answer);
        }
        return answer;
    }

    /** Null if it did not come in time. Throws what the question threw. */
    @SuppressWarnings("unchecked") // what the question gave
    public @Nullable T await(long limitNanos) {
        Object given = waiter == null ? atOnce : waiter.await(asked, limitNanos);
        if (given instanceof Failed(Throwable failure)) {
            throw failure instanceof IllegalStateException refused
                    ? new IllegalStateException(refused.getMessage(), refused)
                    : new IllegalStateException(asked + " failed: " + failure, failure);
        }
        return given == Waits.TIMED_OUT ? null : (T) given;
    }

    private @Nullable Object answer() {
        try {
            return question.get();
        } catch (RuntimeException | Error failed) {
            return new Failed(failed);
        }
    }

    @Override
    public void onCord() {
        if (waiter != null && waiter.isWaiting()) {
            waiter.give(answer());
        }
    }

    @Override
    public void onClosed() {
        onCord();
    }
}
