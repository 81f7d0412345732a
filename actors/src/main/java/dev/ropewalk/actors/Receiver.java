package dev.ropewalk.actors;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.function.Predicate;

/**
 * How a loop-style actor receives: it goes through the mailbox once, and a message that does not
 * fit is not tested again by that receive; then it waits. The type it waits for is tested by the
 * sender, which hands a message that fits over; a predicate is tested by the receiver alone, which
 * is nudged for each new message (rule A1).
 *
 * <p>Confined to the actor's cord. The open wait is {@code (fiber, waitNumber)}; the side that ends
 * it, or leaves it, sets {@code NOT_WAITING}.
 */
final class Receiver<M> {
    private static final long NOT_WAITING = -1;

    /** Wakes a receive with a predicate: the new message is in the mailbox. */
    private static final Object NUDGE = new Object();

    private final ActorCell<M> cell;
    private long waitNumber = NOT_WAITING;

    /** The type that is waited for, null for any. */
    private @Nullable Class<?> waitType;

    private boolean waitsForNudge;

    /** This incarnation was asked to stop: every receive says so from then on. */
    private boolean stopping;

    Receiver(ActorCell<M> cell) {
        this.cell = cell;
    }

    /** Runs the body of one incarnation until it returns or stops. */
    void run(ActorBody<M> body) throws Exception {
        waitNumber = NOT_WAITING;
        stopping = false;
        try {
            body.run(cell);
        } catch (StopRequest end) {
            if (!stopping) {
                throw end;
            }
        }
    }

    // ---------------------------------------------------------------- the sender's side

    /** Ends the wait of the fiber with the message, if it is waited for. */
    boolean resumeWith(Object message, Fiber<?> waiting) {
        if (waitNumber == NOT_WAITING
                || waitsForNudge
                || !fits(message)
                || !Waits.resume(waiting, waitNumber, ActorCell.HANDED_OVER)) {
            return false;
        }
        waitNumber = NOT_WAITING;
        return true;
    }

    /** A message has come into the mailbox. */
    void nudge(Fiber<?> waiting) {
        if (waitsForNudge && waitNumber != NOT_WAITING) {
            Waits.resume(waiting, waitNumber, NUDGE);
            waitNumber = NOT_WAITING;
        }
    }

    private boolean fits(Object message) {
        return waitType == null
                || message == ActorCell.STOP
                || waitType.isInstance(cell.unwrap(message));
    }

    // ---------------------------------------------------------------- the receiver's side

    /** The next message that fits type and predicate; null when the limit has passed. */
    @Nullable M receive(
            @Nullable Class<?> type, @Nullable Predicate<? super M> wanted, long limitNanos) {
        if (stopping) {
            throw stopRequest();
        }
        cell.forgetCurrent();
        waitType = type;
        if (cell.mailbox().size() > 0) {
            Waits.yieldTurn(); // an actor that is never out of messages can be terminated here
        }
        for (int looked = 0; ; ) {
            for (; looked < cell.mailbox().size(); looked++) {
                Object queued = cell.mailbox().get(looked);
                Object message = ActorCell.content(queued);
                if (message == ActorCell.STOP || (fits(message) && passes(wanted, message))) {
                    cell.mailbox().remove(looked);
                    cell.makeCurrent(queued);
                    return begin();
                }
            }
            Object given = park(wanted != null, limitNanos);
            if (given == Waits.TIMED_OUT) {
                return null;
            }
            if (given != NUDGE) {
                return begin();
            }
        }
    }

    private boolean passes(@Nullable Predicate<? super M> wanted, Object message) {
        return wanted == null || wanted.test(cell.unwrap(message));
    }

    private @Nullable Object park(boolean forNudge, long limitNanos) {
        waitNumber = Waits.nextNumber();
        waitsForNudge = forNudge;
        try {
            return Waits.park(cell, limitNanos);
        } finally {
            waitNumber = NOT_WAITING;
        }
    }

    private M begin() {
        if (cell.isCurrentStop()) {
            cell.forgetCurrent();
            stopping = true;
            throw stopRequest();
        }
        return cell.beginCurrent();
    }

    private StopRequest stopRequest() {
        return new StopRequest(cell.name() + " was asked to stop");
    }
}
