package dev.ropewalk.fibers.internal.dump;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * A question to a cord that is answered on it, between two of its fibers, and may be asked from
 * anywhere (rule F8). On the cord itself it is answered at once. It is answered as no fiber, so the
 * user's code in it cannot wait and change what is being looked at.
 *
 * <p>Several may be asked before the first is awaited.
 *
 * @param <T> the type of the answer
 */
public final class CordQuery<T> extends CordMessage {
    /** The thread or fiber that waits for the answer; null if it was there at once. */
    private final @Nullable WaitCell waiter;

    private final CordImpl cord;
    private final Supplier<? extends @Nullable T> question;

    /** Null is no answer: it is asked again behind a turn of the cord's fibers. */
    private final boolean isInSteps;

    private volatile @Nullable T answer;
    private volatile @Nullable Throwable failure;
    private volatile boolean hasCordEnded;

    private CordQuery(CordImpl cord, Supplier<? extends @Nullable T> question, boolean isInSteps) {
        this.cord = cord;
        this.question = question;
        this.isInSteps = isInSteps;
        this.waiter = cord.isCurrent() ? null : new WaitCell();
    }

    /**
     * Asks, and does not wait.
     *
     * @throws IllegalStateException if this thread is another cord, and no fiber runs there now
     */
    public static <T> CordQuery<T> ask(Cord cord, Supplier<? extends T> question) {
        return ask(new CordQuery<>(CordImpl.of(cord), question, false));
    }

    /**
     * Asks a question that the cord answers in portions, with turns of its fibers in between: null
     * until the last one. Does not wait, unless this is the cord itself.
     *
     * @throws IllegalStateException if this thread is another cord, and no fiber runs there now
     */
    public static <T> CordQuery<T> askInSteps(Cord cord, Supplier<? extends @Nullable T> step) {
        return ask(new CordQuery<T>(CordImpl.of(cord), step, true));
    }

    private static <T> CordQuery<T> ask(CordQuery<T> query) {
        if (query.waiter == null) {
            query.onCord();
        } else {
            query.cord.send(query);
        }
        return query;
    }

    /**
     * Whether a fiber of the cord could keep it for itself while this thread waits for an answer:
     * not if both are the same thread.
     */
    public static boolean mayBeSilent(Cord cord) {
        CordImpl asked = CordImpl.of(cord);
        return !asked.isCurrent() && !asked.isVirtual();
    }

    /**
     * Waits for the answer; null if the limit passed, or the cord has ended. Throws what answering
     * threw.
     */
    public @Nullable T await(long limitNs) {
        if (waiter != null) {
            waiter.await(this, limitNs);
        }
        Throwable failed = failure;
        if (failed != null) {
            throw new IllegalStateException(this + " failed: " + failed, failed);
        }
        return answer;
    }

    /**
     * The same, but if the cord has ended the question is answered here: no other thread touches
     * the cord's objects then.
     */
    public @Nullable T awaitOrAnswer(long limitNs) {
        T told = await(limitNs);
        return told == null && hasCordEnded ? answerHere() : told;
    }

    private @Nullable T answerHere() {
        T told = question.get();
        while (told == null && isInSteps) {
            told = question.get();
        }
        return told;
    }

    public boolean hasCordEnded() {
        return hasCordEnded;
    }

    @Override
    public void onCord() {
        if (waiter != null && !waiter.isWaiting()) {
            return; // it came too late
        }
        try {
            answer = cord.loop.asNoFiber(this::next);
            if (answer == null && isInSteps) {
                cord.send(new NextStep());
                cord.mail.inbox.endDrain();
                return;
            }
        } catch (RuntimeException | Error failed) {
            failure = failed; // it is the asker's
        }
        tell();
    }

    /** On its own cord the asker gets all at once. */
    private @Nullable T next() {
        return waiter == null ? answerHere() : question.get();
    }

    /** Behind all that came meanwhile, and a turn of the fibers. */
    private final class NextStep extends CordMessage {
        @Override
        public void onCord() {
            CordQuery.this.onCord();
        }

        @Override
        public void onClosed() {
            CordQuery.this.onClosed();
        }
    }

    @Override
    public void onClosed() {
        hasCordEnded = true;
        tell();
    }

    private void tell() {
        if (waiter != null) {
            waiter.give(null);
        }
    }

    @Override
    public String toString() {
        return "an answer of " + cord;
    }
}
