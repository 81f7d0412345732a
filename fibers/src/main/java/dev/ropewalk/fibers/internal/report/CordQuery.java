package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/**
 * A question to a cord that is answered on it, between two of its fibers, and may be asked from
 * anywhere (rule F8). On the cord itself it is answered at once.
 *
 * <p>Several may be asked before the first is awaited.
 *
 * @param <T> the type of the answer
 */
final class CordQuery<T> extends CordMessage {
    /** The thread or fiber that waits for the answer; null if it was there at once. */
    private final @Nullable WaitCell waiter;

    private final CordImpl cord;
    private final Function<? super CordImpl, ? extends T> question;
    private volatile @Nullable T answer;
    private volatile @Nullable Throwable failure;
    private volatile boolean hasCordEnded;

    /**
     * Asks.
     *
     * @throws IllegalStateException if this thread is another cord, and no fiber runs there now
     */
    CordQuery(CordImpl cord, Function<? super CordImpl, ? extends T> question) {
        this.cord = cord;
        this.question = question;
        this.waiter = cord.isCurrent() ? null : new WaitCell();
    }

    CordQuery<T> ask() {
        if (waiter == null) {
            onCord();
        } else {
            cord.send(this);
        }
        return this;
    }

    /**
     * Waits for the answer; null if the limit passed, or the cord has ended. Throws what answering
     * threw.
     */
    @Nullable T await(long limitNs) {
        if (waiter != null) {
            waiter.await(this, limitNs);
        }
        Throwable failed = failure;
        if (failed != null) {
            throw new IllegalStateException(this + " failed: " + failed, failed);
        }
        return answer;
    }

    boolean hasCordEnded() {
        return hasCordEnded;
    }

    @Override
    public void onCord() {
        if (waiter != null && !waiter.isWaiting()) {
            return; // it came too late
        }
        try {
            answer = question.apply(cord);
        } catch (RuntimeException | Error failed) {
            failure = failed; // it is the asker's
        }
        tell();
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
