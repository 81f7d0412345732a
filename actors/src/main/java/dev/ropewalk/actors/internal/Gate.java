package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Placed;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.function.ToIntFunction;

/**
 * What a sender does with a message before it leaves, for actors whose mailbox is not a plain queue
 * without a bound: it looks up its priority, replaces one of the same key, and takes a permit.
 * Belongs to the cell, and works on any thread.
 *
 * <p>The user's functions run on the sender, which gets what they throw; nothing was sent then.
 */
final class Gate<M> {
    private final ActorCell<M> cell;
    private final MailboxOptions options;
    private final @Nullable ToIntFunction<? super M> priority;
    private final @Nullable Conflation<M> conflation;

    /** The room whose senders have to do with it; otherwise null. */
    private final @Nullable Permits room;

    private Gate(ActorCell<M> cell, MailboxSpec<M> spec) {
        this.cell = cell;
        this.options = spec.options();
        this.priority = spec.priority();
        this.conflation =
                spec.key() == null ? null : new Conflation<>(cell, spec.key(), spec.undelivered());
        this.room = hasRoom(options) ? new Permits(cell, options.capacity()) : null;
    }

    /** Null if messages leave as they are. */
    static <M> @Nullable Gate<M> of(ActorCell<M> cell, MailboxSpec<M> spec) {
        boolean isPlain = spec.priority() == null && spec.key() == null;
        return isPlain && !hasRoom(spec.options()) ? null : new Gate<>(cell, spec);
    }

    private static boolean hasRoom(MailboxOptions options) {
        return options.isBounded() && options.overflow() != Overflow.DROP_OLD;
    }

    /** False if the limit passed; nothing was sent then. */
    boolean send(Object item, long limitNanos, @Nullable String router) {
        Overflow overflow = options.overflow();
        if (overflow == Overflow.SUSPEND) {
            Waits.switchpoint();
        }
        Object key = keyOf(item);
        if (renews(item, key)) {
            return true;
        }
        Object placed = place(item, key);
        if (room != null) {
            if (cell.isHandedOver(placed)) {
                return true;
            }
            if (!room.tryTake()) {
                if (overflow == Overflow.DROP_NEW) {
                    cell.drop(item, DeadLetter.Reason.REFUSED, null);
                    return true;
                }
                if (overflow == Overflow.FAIL) {
                    throw full(item);
                }
                cell.checkNotOwn();
                if (!room.take(limitNanos)) {
                    return false;
                }
                if (renews(item, key)) { // another one of the key came meanwhile
                    room.give();
                    return true;
                }
            }
        }
        leave(placed, router);
        return true;
    }

    TellResult trySend(Object item) {
        Object key = keyOf(item);
        if (renews(item, key)) {
            return TellResult.ACCEPTED;
        }
        Object placed = place(item, key);
        if (room != null) {
            if (cell.isHandedOver(placed)) {
                return TellResult.ACCEPTED;
            }
            if (!room.tryTake()) {
                return TellResult.FULL;
            }
        }
        leave(placed, null);
        return TellResult.ACCEPTED;
    }

    /** Takes the messages that wait out of the reach of what is told from now on. */
    void seal() {
        if (conflation != null) {
            conflation.seal();
        }
    }

    /** The actor has begun a message that took a permit. */
    void begun() {
        if (room != null) {
            room.give();
        }
    }

    /** The actor is over: everybody may send, and it becomes a dead letter. */
    void close() {
        if (room != null) {
            room.close();
        }
    }

    MailboxFullException full(Object item) {
        return new MailboxFullException(
                "the mailbox of "
                        + cell.name()
                        + " is full: capacity="
                        + options.capacity()
                        + "; the message was not sent: "
                        + Envelope.content(item));
    }

    void checkInvariants() {
        if (room != null) {
            room.checkInvariants();
        }
    }

    private void leave(Object placed, @Nullable String router) {
        cell.deliver(placed, router);
        if (placed instanceof Placed.Renewable renewable) {
            renewable.publish();
        }
    }

    private boolean renews(Object item, @Nullable Object key) {
        return key != null && conflation != null && conflation.renew(item, key);
    }

    private @Nullable Object keyOf(Object item) {
        return conflation == null || item instanceof Envelope.Adapted
                ? null
                : conflation.keyOf(message(item));
    }

    /** What another function makes the message of, on the actor's fiber, has no priority. */
    private Object place(Object item, @Nullable Object key) {
        if (item instanceof Envelope.Adapted || (priority == null && key == null)) {
            return item;
        }
        int rank = priority == null ? 0 : priority.applyAsInt(message(item));
        return key == null || conflation == null
                ? new Placed.Ranked(item, rank)
                : conflation.place(item, rank, key);
    }

    @SuppressWarnings("unchecked") // only M, and what opens as M, are sent
    private M message(Object item) {
        return (M) Envelope.open(item);
    }
}
