package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Mailbox;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

/** The bound on what an actor postpones, and the rule for what is beyond it; on its cord. */
final class Postponing {
    private static final Log LOG = Logs.logger(ActorCell.class);

    private Postponing() {}

    /**
     * A message is to be postponed. If there is no room, and the rule is to fail, what was
     * postponed goes with the failure: a restart would bring it back and fail again.
     */
    static void check(ActorCell<?> cell, @Nullable String stateName) {
        MailboxOptions options = cell.definition().mailbox.options();
        if (options.postponedOverflow() != Overflow.FAIL || hasRoom(cell, options)) {
            return;
        }
        Mailbox mailbox = cell.mailboxNow();
        RuntimeException full = Requests.tooMany(cell.ref(), stateName, options.maxPostponed());
        for (Object each = mailbox.pollPostponed(_ -> true);
                each != null;
                each = mailbox.pollPostponed(_ -> true)) {
            cell.drop(each, DeadLetter.Reason.FAILED, full);
        }
        throw full;
    }

    private static boolean hasRoom(ActorCell<?> cell, MailboxOptions options) {
        return cell.mailboxNow().postponed() < options.maxPostponed()
                || cell.postponed() < options.maxPostponed();
    }

    /** It comes again when the state changes, which may be now. */
    static void postpone(ActorCell<?> cell, Object item, int times, boolean isLasting) {
        if (isLasting && !makesRoom(cell, item)) {
            return;
        }
        if (times >= Requests.TOLD_FROM && Integer.bitCount(times) == 1) {
            LOG.warn(
                    "{} has postponed a message {} times, and no state takes it: {}",
                    cell.ref(),
                    times,
                    Envelope.content(item));
        }
        cell.ownMailbox().postpone(new Envelope.PutBack(item, 0, times));
        if (Taps.areAny()) {
            cell.taps().forEach(tap -> tap.postponed(Envelope.content(item)));
        }
    }

    /** False if the message itself is a dead letter now; otherwise it may be postponed. */
    private static boolean makesRoom(ActorCell<?> cell, Object item) {
        MailboxOptions options = cell.definition().mailbox.options();
        if (hasRoom(cell, options) || Envelope.isNotice(item)) {
            return true;
        }
        Object older =
                options.postponedOverflow() == Overflow.DROP_OLD
                        ? cell.mailboxNow().pollPostponed(each -> !Envelope.isNotice(each))
                        : null;
        Object dropped = older == null ? item : older;
        if (Envelope.inside(dropped) instanceof Ask<?, ?> ask) {
            ask.noReply("it postpones as many messages as it may, " + options.maxPostponed(), null);
        }
        cell.drop(
                dropped,
                older == null ? DeadLetter.Reason.REFUSED : DeadLetter.Reason.DISPLACED,
                null);
        return older != null;
    }
}
