package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorBody;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.FifoMailbox;
import dev.ropewalk.actors.internal.mailbox.Mailbox;
import dev.ropewalk.actors.internal.mailbox.PassedOver;
import dev.ropewalk.actors.internal.mailbox.Placed;
import dev.ropewalk.actors.internal.mailbox.Stop;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * How a loop-style incarnation receives: it goes through the mailbox once, and a message that does
 * not fit is not tested again by that receive; then it waits. The type it waits for is tested by
 * the sender, which hands a message that fits over; a predicate is tested by the receiver alone,
 * which is nudged for each new message (rule A1).
 *
 * <p>Confined to the actor's cord. The open wait is {@code (fiber, waitNumber)}; the side that ends
 * it sets {@code NOT_WAITING}. The number of one that an exception has ended stands until the next
 * wait, and resumes nothing.
 */
final class Receiver<M> {
    /** How deep a stop may be wrapped; what wraps it may be a circle. */
    private static final int MAX_CAUSES = 100;

    private static final long NOT_WAITING = -1;

    /** Wakes a receive: the new message is in the mailbox. */
    private static final Object NUDGE = new Object();

    /** In place of a failure: taps have heard of the message, and are to hear that it is over. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // it is never thrown
    private static final Throwable TAPPED = new Throwable("tapped");

    private final Incarnation<M> incarnation;
    private long waitNumber = NOT_WAITING;

    /** The type that is waited for, null for any. */
    private @Nullable Class<?> waitType;

    private boolean waitsForNudge;

    /** A receive by predicate is under way. */
    private boolean isSelecting;

    /** The replaced messages that this receive had passed over; null while there are none. */
    private @Nullable Set<Placed.Renewable> renewed;

    /**
     * The failure of a predicate: on the message that a receive is about to take, and then, until
     * it is settled, on the one in hand. Or that taps have heard of that.
     */
    private @Nullable Throwable broken;

    /** It was asked to stop: every receive says so from then on. */
    private boolean stopping;

    /** How often a receive has said so. */
    private int stopRaises;

    Receiver(Incarnation<M> incarnation) {
        this.incarnation = incarnation;
    }

    /** Runs the body until it returns or stops. */
    void run(ActorBody<M> body) throws Exception {
        try {
            body.run(incarnation.context());
        } catch (Throwable end) {
            if (!stopping || !isStopRequest(end)) {
                throw end;
            }
        }
        complete();
    }

    /**
     * The body is done with the message in hand; of one that no receive has returned it is told.
     */
    private void complete() {
        Throwable failure = broken;
        broken = null;
        if (failure == null) {
            incarnation.completeCurrent();
        } else if (failure == TAPPED) {
            incarnation.completeCurrent();
            Taps.over(incarnation.cell().taps(), null);
        } else {
            incarnation.dropCurrent(failure);
        }
    }

    /** Also if something has wrapped it, as with signals: see {@link Waits#isSignal}. */
    private boolean isStopRequest(Throwable thrown) {
        Throwable each = thrown;
        for (int i = 0; each != null && i < MAX_CAUSES; i++) {
            if (each instanceof StopRequest request && request.receiver == this) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }

    // ---------------------------------------------------------------- the sender's side

    /** Ends the wait of the fiber with the message, if it is waited for. */
    boolean resumeWith(Object item, Fiber<?> waiting) {
        if (waitNumber == NOT_WAITING
                || waitsForNudge
                || !mayHandOver(item)
                || !Waits.resume(waiting, waitNumber, Incarnation.HANDED_OVER)) {
            return false;
        }
        waitNumber = NOT_WAITING;
        return true;
    }

    /** The sender does not adapt a message for the actor. */
    private boolean mayHandOver(Object item) {
        return waitType == null
                || (!(item instanceof Envelope.Adapted) && PassedOver.fits(waitType, item));
    }

    /** A message has come into the mailbox. */
    void nudge(Object item, Fiber<?> waiting) {
        if (waitNumber != NOT_WAITING && (waitsForNudge || item instanceof Envelope.Adapted)) {
            Waits.resume(waiting, waitNumber, NUDGE);
            waitNumber = NOT_WAITING;
        }
    }

    /** It may receive again. */
    void resumed(Fiber<?> waiting) {
        if (waitNumber != NOT_WAITING) {
            Waits.resume(waiting, waitNumber, NUDGE);
            waitNumber = NOT_WAITING;
        }
    }

    /** A message that was passed over is another one now. */
    void renewed(Placed.Renewable message, Fiber<?> waiting) {
        if (!isSelecting) {
            return;
        }
        if (renewed == null) {
            renewed = new LinkedHashSet<>();
        }
        renewed.add(message);
        if (waitNumber != NOT_WAITING && waitsForNudge) {
            Waits.resume(waiting, waitNumber, NUDGE);
            waitNumber = NOT_WAITING;
        }
    }

    // ---------------------------------------------------------------- the receiver's side

    /** The next message; null when the limit has passed. */
    @Nullable M receive(long limitNanos) {
        begin(null);
        boolean isLimited = limitNanos != Long.MAX_VALUE;
        long beganNs = isLimited ? Waits.nanoTime() : 0;
        boolean isOver = false;
        for (; ; ) {
            Object item = mailbox().poll();
            if (item != null) {
                incarnation.makeCurrent(item);
            } else if (isOver && !isSuspended()) {
                return null;
            } else {
                // One that is suspended returns when it is resumed.
                long leftNanos =
                        isLimited && !isOver
                                ? Math.max(0, limitNanos - (Waits.nanoTime() - beganNs))
                                : Long.MAX_VALUE;
                Object how = park(false, leftNanos);
                isOver |= how == Waits.TIMED_OUT;
                if (!isHandedOver(how)) {
                    continue;
                }
            }
            if (!isStopPutOff() && !isLeftOut()) {
                return current();
            }
        }
    }

    /** The next message of the type. */
    M receive(Class<?> type) {
        begin(type);
        for (; ; ) {
            Object item = mailbox().poll(type);
            if (item != null) {
                incarnation.makeCurrent(item);
            } else if (!isHandedOver(park(false, Long.MAX_VALUE))) {
                continue;
            }
            if (!isStopPutOff() && !isLeftOut()) {
                return current();
            }
        }
    }

    /** The next message that passes. */
    M receive(Predicate<? super M> wanted) {
        begin(null);
        Predicate<Object> passes = item -> passes(wanted, item);
        isSelecting = true;
        try {
            boolean hasLooked = !isSuspended();
            boolean isMoreThere = false;
            boolean isNone;
            Object item = mailbox().poll(passes);
            do {
                while (item == null) {
                    if (isSuspended() || (renewed == null && !isMoreThere)) {
                        park(true, Long.MAX_VALUE);
                    }
                    isMoreThere = false;
                    if (isSuspended()) {
                        continue;
                    }
                    item = hasLooked ? pollUnseen(passes) : mailbox().poll(passes);
                    hasLooked = true;
                }
                incarnation.makeCurrent(item);
                item = null;
                isMoreThere = true; // behind a stop
                boolean isLeftOut = broken == null && isLeftOut();
                hasLooked &= !isLeftOut; // what passes may be among those that were passed over
                isNone = isLeftOut || isStopPutOff();
            } while (isNone);
        } finally {
            isSelecting = false;
            renewed = null;
        }
        Throwable failure = broken;
        if (failure != null && failure != TAPPED) {
            incarnation.beginBroken();
            throw unchecked(failure);
        }
        return current();
    }

    /** Of what was replaced since this receive has looked, and what came: that is younger. */
    private @Nullable Object pollUnseen(Predicate<Object> passes) {
        Set<Placed.Renewable> replaced = renewed;
        renewed = null;
        if (replaced != null) {
            for (Placed.Renewable next : replaced) {
                if (passes.test(next)) {
                    mailbox().remove(next);
                    return next;
                }
            }
        }
        return mailbox().pollNew(passes);
    }

    /** Nothing is received while the actor is suspended. */
    private Mailbox mailbox() {
        return isSuspended() ? FifoMailbox.EMPTY : incarnation.cell().mailboxNow();
    }

    private boolean isSuspended() {
        return incarnation.cell().isSuspended();
    }

    /** Its own actors come to their end first; it goes on receiving. */
    private boolean isStopPutOff() {
        if (!incarnation.isCurrentStop() || !incarnation.isStopPutOff()) {
            return false;
        }
        incarnation.completeCurrent();
        return true;
    }

    /** A tap has taken the message in hand away; the loop goes on receiving. */
    private boolean isLeftOut() {
        if (incarnation.isCurrentStop()) {
            return false;
        }
        if (incarnation.cell().needsPermit) {
            awaitPermit();
        }
        if (!Taps.areAny()) {
            return false;
        }
        broken = TAPPED; // also if one of them throws
        boolean isLeftOut = incarnation.isLeftOut();
        if (isLeftOut) {
            complete();
        }
        return isLeftOut;
    }

    /** A body that leaves this by an exception has not seen the message, and may receive again. */
    private void awaitPermit() {
        boolean isThere = false;
        try {
            Extras.awaitPermit(incarnation.cell());
            isThere = true;
        } finally {
            if (!isThere) {
                incarnation.putBackCurrent();
            }
        }
    }

    private boolean passes(Predicate<? super M> wanted, Object item) {
        broken = null;
        if (item == Stop.STOP) {
            return true;
        }
        return item instanceof Placed.Renewable renewable
                ? passesOrIsPassedOver(wanted, renewable)
                : isWanted(wanted, item);
    }

    /**
     * A sender may replace it while the predicate looks at it, and what the predicate tells its own
     * actor may displace it.
     */
    private boolean passesOrIsPassedOver(Predicate<? super M> wanted, Placed.Renewable renewable) {
        while (!renewable.isTaken()) {
            Object seen = renewable.now();
            if (!isWanted(wanted, seen)) {
                if (renewable.passOver(seen)) {
                    return false;
                }
            } else if (renewable.closeAs(seen)) {
                return true;
            }
        }
        return false;
    }

    /**
     * A message that cannot be opened or tested passes, so that the actor fails on it: if it
     * stayed, the next incarnation would fail on it again.
     */
    private boolean isWanted(Predicate<? super M> wanted, Object item) {
        broken = null;
        M message;
        try {
            message = incarnation.open(item);
        } catch (Throwable failure) {
            return PassedOver.isBroken(failure); // it is thrown when the message is begun
        }
        try {
            return wanted.test(message);
        } catch (Throwable failure) {
            boolean isBroken = PassedOver.isBroken(failure);
            broken = failure;
            return isBroken;
        }
    }

    private void begin(@Nullable Class<?> type) {
        if (stopping) {
            Waits.giveWayBeforeRaise(stopRaises, "its stop");
            throw stopRequest();
        }
        complete();
        incarnation.cell().tellSize();
        waitType = type;
        if (mailbox().size() > 0) {
            Waits.yieldTurn(); // an actor that is never out of messages can be terminated here
        }
    }

    private @Nullable Object park(boolean forNudge, long limitNanos) {
        incarnation.cell().idles();
        waitNumber = Waits.nextNumber();
        waitsForNudge = forNudge;
        // No finally: to enter its code costs each ended loop a deoptimization (8 us).
        Object how = Waits.park(incarnation.cell(), limitNanos);
        waitNumber = NOT_WAITING;
        return how;
    }

    /** Whether a message is in hand; it is not if the actor was suspended before it saw it. */
    private boolean isHandedOver(@Nullable Object how) {
        if (how != Incarnation.HANDED_OVER) {
            return false;
        }
        if (isSuspended()) {
            incarnation.putBackCurrent();
            return false;
        }
        return true;
    }

    /** A predicate throws nothing that is checked, unless it hides that from the compiler. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <T extends Throwable> T unchecked(Throwable failure) throws T {
        throw (T) failure;
    }

    private M current() {
        if (incarnation.isCurrentStop()) {
            incarnation.completeCurrent();
            stopping = true;
            incarnation.stopTaken();
            throw stopRequest();
        }
        return incarnation.beginCurrent();
    }

    private StopRequest stopRequest() {
        stopRaises++;
        return new StopRequest(this, incarnation.cell().ref() + " was asked to stop");
    }

    /**
     * Thrown by receive when the actor's stop message has come; every later receive gives way and
     * throws it again, up to the bound of rule F6. An {@code Error}, so that {@code catch
     * (Exception e)} does not swallow it.
     */
    private static final class StopRequest extends Error {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // it never leaves the process
        private final Receiver<?> receiver;

        StopRequest(Receiver<?> receiver, String message) {
            super(message, null, false, false);
            this.receiver = receiver;
        }
    }
}
