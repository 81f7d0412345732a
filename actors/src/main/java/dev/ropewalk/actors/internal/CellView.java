package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.internal.mailbox.Mailbox;
import dev.ropewalk.actors.internal.observe.Described;
import dev.ropewalk.actors.internal.observe.Observed;
import dev.ropewalk.actors.internal.supervision.Supervising;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.observe.ActorActivity;
import dev.ropewalk.actors.observe.ActorDetails;
import dev.ropewalk.actors.observe.ActorDetails.RestartLimit;
import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.ActorGlance;
import dev.ropewalk.fibers.internal.dump.ClassNames;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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

    static MailboxSnapshot snapshot(ActorCell<?> cell) {
        Mailbox mailbox = cell.mailboxNow();
        return new MailboxSnapshot(
                mailbox.messages(),
                cell.definition().mailbox.options().capacity(),
                mailbox.oldest(MailboxSnapshot.SHOWN));
    }

    static ActorDetails details(ActorCell<?> cell) {
        Belongings<?> own = cell.belongings();
        Links links = own == null ? null : own.linksOrNull();
        Extras<?> extras = cell.extras;
        Supervising above = cell.child().supervisor();
        return new ActorDetails(
                activity(cell),
                links == null ? List.of() : named(links.peers()),
                own == null ? List.of() : named(own.monitored()),
                extras == null ? 0 : extras.watchers(),
                OpenAsks.openOf(own),
                own == null ? List.of() : timers(own.timersOrNull()),
                new RestartLimit(
                        above.path(), -1, above.rules().intensity(), above.rules().period()),
                extras == null ? null : extras.lastFailure);
    }

    private static List<String> named(List<? extends ActorRef<?>> actors) {
        List<String> names = new ArrayList<>();
        for (ActorRef<?> each : actors) {
            if (names.size() == ActorDetails.MAX) {
                names.add("... and " + (actors.size() - ActorDetails.MAX) + " more");
                break;
            }
            names.add(each.toString());
        }
        return names;
    }

    private static List<ActorDetails.Timer> timers(@Nullable CellTimers<?> timers) {
        return timers == null
                ? List.of()
                : timers.active().stream()
                        .map(CellView::timer)
                        .sorted(Comparator.comparing(ActorDetails.Timer::due))
                        .limit(ActorDetails.MAX)
                        .toList();
    }

    private static ActorDetails.Timer timer(CellTimers<?>.Entry entry) {
        String type = ClassNames.of(entry.message().getClass());
        long leftNs = entry.isPending() ? 0 : Math.max(0, entry.dueNs() - Waits.nanoTime());
        return new ActorDetails.Timer(
                entry.name(),
                entry.kind().name(),
                ClassNames.withoutPackage(type),
                Duration.ofNanos(leftNs));
    }
}
