package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Placed;
import dev.ropewalk.actors.internal.mailbox.Stop;
import dev.ropewalk.actors.internal.observe.Taps;

import org.jspecify.annotations.Nullable;

/** Messages that an actor does not process: dead letters, and failures for those that asked. */
final class Dropped {
    private Dropped() {}

    /**
     * Drops an item that came to an actor, under the actor's own name.
     *
     * @see #drop(ActorCell, Object, String, DeadLetter.Reason, Throwable)
     */
    static void drop(
            ActorCell<?> cell, Object item, DeadLetter.Reason reason, @Nullable Throwable failure) {
        drop(cell, item, nameBy(cell, null), reason, failure);
    }

    /** Reports it, and tells its asker. */
    static void drop(
            ActorCell<?> cell,
            Object item,
            String to,
            DeadLetter.Reason reason,
            @Nullable Throwable failure) {
        if (item == Stop.STOP) {
            return;
        }
        Object inside = Placed.taken(item instanceof Envelope.PutBack again ? again.item : item);
        boolean isLater =
                cell.gate() != null
                        && cell.gate().putsOff(() -> dropNow(cell, inside, to, reason, failure));
        if (!isLater) {
            dropNow(cell, inside, to, reason, failure);
        }
    }

    /** Runs the program's code. */
    private static void dropNow(
            ActorCell<?> cell,
            Object inside,
            String to,
            DeadLetter.Reason reason,
            @Nullable Throwable failure) {
        if (inside instanceof Envelope.Notice<?> notice) {
            notice.source.done();
            if (reason == DeadLetter.Reason.ENDED) {
                return; // nobody told it
            }
        }
        cell.deadLetters()
                .report(
                        new DeadLetter(Envelope.content(inside), to, reason, failure),
                        Envelope.isOfTaker(inside));
        noReply(inside, reason, failure);
    }

    /**
     * An ask says so to its asker. Other senders get it, but for actors and what is below them,
     * which would fail, and replies: the sender of one did not choose where it goes (rule A8).
     */
    static void refuse(
            ActorCell<?> cell, Object item, MailboxFullException full, @Nullable String router) {
        if (item instanceof Ask<?, ?> ask) {
            throw ask.failure(new Ask.Failed(why(DeadLetter.Reason.REFUSED), full));
        }
        if (!(item instanceof Envelope.Adapted) && !Caller.isInActor()) {
            throw full;
        }
        drop(cell, item, nameBy(cell, router), DeadLetter.Reason.REFUSED, full);
    }

    /** A failure that was told in place of a message, where an actor takes only messages. */
    static void failure(ActorCell<?> cell, Throwable failure) {
        if (!Taps.onTells() || !Caller.holdsFailure(cell.ref(), failure)) {
            String to = cell.ref().toString();
            cell.deadLetters()
                    .report(new DeadLetter(failure, to, DeadLetter.Reason.FAILURE, failure));
        }
    }

    static void noReply(Object item, DeadLetter.Reason reason, @Nullable Throwable failure) {
        if (item instanceof Ask<?, ?> ask) {
            ask.noReply(why(reason), failure);
        }
    }

    /** For a message that came after its end: whoever sent it may know the router only. */
    static String nameBy(ActorCell<?> cell, @Nullable String router) {
        return router == null ? cell.ref().toString() : cell.ref() + " by " + router;
    }

    static String why(DeadLetter.Reason reason) {
        return switch (reason) {
            case ENDED -> "it has ended";
            case UNHANDLED -> "it has no use for the message";
            case REFUSED, DISPLACED -> "its mailbox is full";
            case REPLACED -> "a newer message with the same key has replaced it";
            case FAILED, PARKED, LATE_REPLY, FAILURE, NO_MEMBERS, UNREACHABLE, UNREADABLE, MOVING ->
                    "it failed";
        };
    }
}
