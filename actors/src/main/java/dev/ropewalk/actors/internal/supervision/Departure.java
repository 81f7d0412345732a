package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;

/**
 * How a child leaves its supervisor, or stays known as stopped: from the moment at which it is to
 * be ended for itself, or is not started again, until that holds. Those that wait for it are told
 * then, and not before. Confined to the supervisor's cord.
 */
final class Departure {
    private final ArrayDeque<WaitCell> waiters = new ArrayDeque<>(1);

    /** A start that has failed by its end; null if there is none. */
    private @Nullable Start failed;

    /** Null until it is decided. */
    private @Nullable ExitReason reason;

    private boolean isKept;
    private boolean isCounted;

    void await(WaitCell waiter) {
        waiters.add(waiter);
    }

    void fails(Start start) {
        failed = start;
    }

    /** The work that its kept state has left comes before the end. */
    void decide(ExitReason why, boolean keep) {
        reason = why;
        isKept = keep;
    }

    /** Null as long as it may be started again. */
    @Nullable ExitReason reason() {
        return reason;
    }

    /** It is significant, and has ended by itself. */
    void counts() {
        isCounted = true;
    }

    boolean isCounted() {
        return isCounted;
    }

    boolean isKept() {
        return isKept;
    }

    /** It holds. */
    void tell(ExitReason why) {
        for (WaitCell waiter = waiters.poll(); waiter != null; waiter = waiters.poll()) {
            waiter.give(null);
        }
        if (failed != null) {
            failed.failed(why);
            failed = null;
        }
    }
}
