package dev.ropewalk.actors.internal.sending;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Placed;
import dev.ropewalk.actors.internal.sending.Conflation.Outcome;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;

/**
 * The part of sending before a message leaves, for actors whose mailbox is not a plain queue
 * without a bound: the sender looks up the message's priority, replaces one of the same key, and
 * takes a permit. Works on any thread.
 *
 * <p>The user's functions run on the sender, which did not choose them: if one throws, the message
 * has no place of its own, and the failure is logged (rule A8).
 */
public final class Gate<M> {
    /** The actor behind it. Works on any thread. */
    public interface Host {
        /** {@return what messages call it} */
        Object address();

        /** Whether the caller is on its cord. */
        boolean isHere();

        /** True if the actor waited for the item, and has begun it. */
        boolean isHandedOver(Object item);

        /** Sends it on its way. */
        void deliver(Object item, @Nullable String router);

        /** Reports a message that was not taken, and tells its asker. */
        void drop(Object item, DeadLetter.Reason reason);

        /** If the item is an ask, its asker hears that no reply comes. */
        void noReply(Object item, DeadLetter.Reason reason);

        /** It was replaced, and a selective receive has passed it over. */
        void renewed(Placed.Renewable message);

        /** Whether the caller is the actor itself. */
        boolean isCaller();

        /**
         * There is no room: throws {@code full} or, for an ask, its failure; or makes a dead letter
         * of the item.
         */
        void refuse(Object item, MailboxFullException full, @Nullable String router);
    }

    private static final Log LOG = Logs.logger(Gate.class);

    private final Host actor;
    private final MailboxOptions options;
    private final @Nullable ToIntFunction<? super M> priority;
    private final @Nullable Conflation<M> conflation;

    /** The room whose senders have to do with it; otherwise null. */
    private final @Nullable Permits room;

    /** How often a function of the actor's definition has failed. */
    private final AtomicLong broken = new AtomicLong();

    Gate(Host actor, MailboxSpec<M> spec) {
        this.actor = actor;
        this.options = spec.options();
        this.priority = spec.priority();
        this.conflation =
                spec.key() == null ? null : new Conflation<>(actor, spec.key(), spec.undelivered());
        this.room = spec.hasRoom() ? new Permits(actor.address(), options.capacity()) : null;
    }

    /** False if the limit passed; nothing was sent then. */
    public boolean send(Object item, long limitNanos, @Nullable String router) {
        Overflow overflow = options.overflow();
        if (overflow == Overflow.SUSPEND) {
            Waits.switchpoint();
        }
        Object placed = place(item);
        if (send(placed, router, false) != Outcome.NO_ROOM) {
            return true;
        }
        if (overflow == Overflow.DROP_NEW) {
            actor.drop(item, DeadLetter.Reason.REFUSED);
            return true;
        }
        if (overflow == Overflow.FAIL || (item instanceof Envelope.Adapted && !mayWait())) {
            actor.refuse(item, full(item), router);
            return true;
        }
        checkNotOwn();
        if (room != null && !room.take(limitNanos)) {
            return false;
        }
        sendWithPermit(placed, router);
        return true;
    }

    private void sendWithPermit(Object placed, @Nullable String router) {
        Outcome outcome = Outcome.NO_ROOM;
        try {
            outcome = send(placed, router, true);
        } finally {
            if (outcome != Outcome.SENT) {
                begun(); // it stands in the place of another one
            }
        }
    }

    /** Whether senders may take permits in advance; one that replaces another needs none. */
    public boolean lends() {
        Overflow rule = options.overflow();
        return room != null
                && conflation == null
                && (rule == Overflow.SUSPEND || rule == Overflow.FAIL);
    }

    /** Of one that lends. */
    public boolean tryTake() {
        return Objects.requireNonNull(room).tryTake();
    }

    /** The same; false if the limit passed. A switchpoint. */
    public boolean take(long limitNanos) {
        Waits.switchpoint();
        return Objects.requireNonNull(room).take(limitNanos);
    }

    /** With a permit that was taken before. Never waits. */
    public void sendWithPermit(Object item) {
        sendWithPermit(place(item), null);
    }

    public MailboxOptions options() {
        return options;
    }

    private void checkNotOwn() {
        if (actor.isCaller()) {
            throw new IllegalStateException(
                    actor.address()
                            + " would wait for room in its own mailbox, which is full: capacity="
                            + options.capacity()
                            + "; give it a larger mailbox or Overflow.FAIL, or keep the message in"
                            + " its state");
        }
    }

    /** A cord that runs no fiber cannot, nor can the actor that is to make the room. */
    private boolean mayWait() {
        return Cord.currentOrNull() == null || (Fiber.currentOrNull() != null && !actor.isCaller());
    }

    public TellResult trySend(Object item, @Nullable String router) {
        Outcome outcome = send(place(item), router, false);
        return outcome == Outcome.NO_ROOM ? TellResult.FULL : TellResult.ACCEPTED;
    }

    private Outcome send(Object placed, @Nullable String router, boolean hasPermit) {
        if (conflation != null && placed instanceof Placed.Renewable renewable) {
            return conflation.send(renewable, router, hasPermit ? this::leave : this::tryLeave);
        }
        boolean isSent = hasPermit ? leave(placed, router) : tryLeave(placed, router);
        return isSent ? Outcome.SENT : Outcome.NO_ROOM;
    }

    private boolean tryLeave(Object placed, @Nullable String router) {
        if (room == null) {
            return leave(placed, router);
        }
        return actor.isHandedOver(placed) || (room.tryTake() && leave(placed, router));
    }

    private boolean leave(Object placed, @Nullable String router) {
        actor.deliver(placed, router);
        return true;
    }

    /** A stop is about to be sent. From any thread. */
    public void stops() {
        if (conflation != null) {
            conflation.stops();
        }
    }

    /** An item has come; false if it is nothing, because it was replaced. On the actor's cord. */
    public boolean comes(Object item) {
        return conflation == null || conflation.comes(item);
    }

    /** Whether the task, which runs the program's code, has to wait; then it runs soon. */
    public boolean putsOff(Runnable task) {
        return conflation != null && conflation.putsOff(task);
    }

    /** A message that took a permit needs it no longer: the actor has begun it. */
    public void begun() {
        if (room != null) {
            room.give();
        }
    }

    /** The actor is over: everybody may send, and it becomes a dead letter. */
    public void close() {
        if (room != null) {
            room.close();
        }
    }

    public MailboxFullException full(Object item) {
        return new MailboxFullException(
                "the mailbox of "
                        + actor.address()
                        + " is full: capacity="
                        + options.capacity()
                        + "; the message was not sent: "
                        + Lines.of(Envelope.content(item)));
    }

    /** For how many keys a message is found that may be replaced. */
    int keys() {
        return conflation == null ? 0 : conflation.keys();
    }

    public void checkInvariants() {
        if (room != null) {
            room.checkInvariants();
        }
        if (conflation != null) {
            conflation.checkInvariants();
        }
    }

    /**
     * An item of which a function makes the message, on the actor's fiber, has no place of its own.
     */
    private Object place(Object item) {
        if (item instanceof Envelope.Adapted || (priority == null && conflation == null)) {
            return item;
        }
        int rank = 0;
        Object key = null;
        try {
            M message = message(item);
            rank = priority == null ? 0 : priority.applyAsInt(message);
            key = conflation == null ? null : conflation.keyOf(message);
        } catch (Throwable failure) {
            broken(failure);
        }
        return key == null ? new Placed.Ranked(item, rank) : new Placed.Renewable(item, rank, key);
    }

    /** It is the program's code: no sender fails by it, and none fills the log. */
    private void broken(Throwable failure) {
        if (failure instanceof Error signal && Waits.isSignal(failure)) {
            throw signal;
        }
        long times = broken.incrementAndGet();
        if (Long.bitCount(times) == 1) {
            Logs.tellBroken(
                    LOG,
                    failure,
                    "the priority or key of {} has failed {} times; what has none waits as others"
                            + " do",
                    actor.address(),
                    times);
        }
    }

    @SuppressWarnings("unchecked") // only M, and what opens as M, are sent
    private M message(Object item) {
        return (M) Envelope.open(item);
    }
}
