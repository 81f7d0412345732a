package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.internal.behavior.StateBehavior;
import dev.ropewalk.actors.internal.mailbox.Mailbox;
import dev.ropewalk.actors.internal.observe.Described;
import dev.ropewalk.actors.internal.observe.Observed;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.observe.ActorActivity;
import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.ActorGlance;

import java.util.List;

/** The facts about an actor that its observers get; on its cord, if nothing else is said. */
final class CellView {
    private CellView() {}

    static <M> Described describe(ActorCell<M> cell) {
        Incarnation<M> now = cell.running();
        Seen<M> seen = now == null ? null : now.seen();
        Mailbox mailbox = cell.mailboxNow();
        ActorDump own =
                new ActorDump(
                        cell.ref().path(),
                        cell.ref().number(),
                        cell.cord().name(),
                        cell.phase(),
                        seen == null ? null : seen.stateName(),
                        cell.restarts(),
                        mailbox.messages() - mailbox.postponed(),
                        mailbox.postponed(),
                        mailbox.oldestAge(),
                        seen == null ? null : seen.message(),
                        now == null ? null : now.waitsNowFor(),
                        List.of());
        return new Described(own, below(cell));
    }

    static List<? extends Observed> below(ActorCell<?> cell) {
        SupervisorCell below = cell.core().childrenOf(cell);
        return below == null ? List.of() : below.below();
    }

    /** From any thread: its cord does not answer. */
    static ActorDump silent(ActorCell<?> cell) {
        return new ActorDump(
                cell.ref().path(),
                cell.ref().number(),
                cell.cord().name(),
                null,
                null,
                0,
                0,
                0,
                null,
                null,
                null,
                List.of());
    }

    static ActorGlance glance(ActorCell<?> cell) {
        Mailbox mailbox = cell.mailboxNow();
        return new ActorGlance(
                cell.ref().path(),
                cell.ref().number(),
                cell.typeName(),
                cell.cord().name(),
                cell.phase(),
                mailbox.messages(),
                mailbox.oldestAge(),
                cell.restarts());
    }

    static ActorActivity activity(ActorCell<?> cell) {
        Incarnation<?> now = cell.running();
        Seen<?> seen = now == null ? null : now.seen();
        return new ActorActivity(
                glance(cell),
                seen == null ? null : seen.stateName(),
                seen == null ? null : seen.messageType(),
                now == null ? 0 : now.fiberId());
    }

    /** The class of the code that handles its messages. */
    static Class<?> behaviorType(ActorCell<?> cell) {
        Incarnation<?> now = cell.running();
        Behavior<?> behavior = now == null ? null : now.behavior();
        Object code =
                switch (behavior) {
                    case null -> cell.definition().body;
                    case StateBehavior<?> state -> state.handler();
                    default -> behavior;
                };
        return code == null ? cell.getClass() : code.getClass();
    }

    static MailboxSnapshot snapshot(ActorCell<?> cell) {
        Mailbox mailbox = cell.mailboxNow();
        return new MailboxSnapshot(
                mailbox.messages(),
                cell.definition().mailbox.options().capacity(),
                mailbox.oldest(MailboxSnapshot.SHOWN));
    }
}
