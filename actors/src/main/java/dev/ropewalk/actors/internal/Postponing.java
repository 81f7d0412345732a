package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Mailbox;
import dev.ropewalk.actors.internal.mailbox.Stop;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The messages that come to a mailbox again, or out of their turn: those that were postponed, put
 * back, or inserted. With the bound on what an actor postpones, and the rule for what is beyond it.
 * On the actor's cord.
 */
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
                || count(cell) < options.maxPostponed();
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

    /** How many are postponed and still come. */
    static int count(ActorCell<?> cell) {
        Mailbox mailbox = cell.mailboxNow();
        mailbox.dropVoidPostponed();
        return mailbox.postponed();
    }

    /** The state has changed: they come next. */
    static void resume(ActorCell<?> cell) {
        Mailbox mailbox = cell.mailboxNow();
        if (mailbox.postponed() > 0) {
            mailbox.resumePostponed();
        }
    }

    /** It comes next, and has been tried so often. */
    static void putBack(ActorCell<?> cell, Object item, int tries) {
        boolean asItWas = item == Stop.STOP || (tries == 0 && cell.gate() == null);
        cell.ownMailbox().addFirst(asItWas ? item : new Envelope.PutBack(item, tries));
    }

    /** They come next, in this order. */
    static <M> void insert(ActorCell<M> cell, List<M> messages) {
        if (Taps.areAny()) {
            cell.taps().forEach(tap -> messages.forEach(tap::inserted));
        }
        boolean isSeen = Taps.onTells();
        for (M message : messages.reversed()) {
            Object item = isSeen ? cell.core().seen(message) : ActorCell.told(message);
            cell.ownMailbox().addFirst(new Envelope.PutBack(item, 0));
        }
    }
}
