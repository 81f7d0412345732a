package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Exit;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.internal.behavior.Holding;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The things that an incarnation owns, but for the message in hand; made when it first owns
 * something. Timers, monitors and end hooks stay with the state if the actor keeps it; the rest
 * goes with the fiber.
 *
 * <p>Confined to the actor's cord.
 */
final class Belongings<M> {
    private final ActorCell<M> cell;

    // ---- of the fiber

    /** The questions that it took and did not answer at once. */
    private @Nullable OpenAsks asks;

    private @Nullable Links links;

    /** The supervisor of its children. */
    @Nullable SupervisorCell children;

    /** Why it is to end: it was killed, or a link has ended; otherwise its fiber tells. */
    @Nullable ExitReason endAsked;

    /** The failure of its last turn; its fiber may be given up while it still cleans up. */
    @Nullable Throwable thrown;

    /** Why it has ended, from before its end hooks run: it does not change any more. */
    @Nullable ExitReason ended;

    /** Ends it for good when its stop limit is over. */
    @Nullable StopLimit stopLimit;

    /** The requests of the message in hand; null until a message makes the first one. */
    private @Nullable Requests<M> requests;

    // ---- of the state

    private @Nullable EndHooks hooks;
    private @Nullable CellTimers<M> timers;
    private @Nullable Set<MonitorEntry<M>> monitors;
    private @Nullable Set<GroupWatchEntry<M, ?>> groupWatches;

    /** Makes messages of exits; null if they are not trapped. */
    @Nullable Function<? super Exit, ?> trap;

    Belongings(ActorCell<M> cell) {
        this.cell = cell;
    }

    OpenAsks asks() {
        if (asks == null) {
            asks = new OpenAsks();
        }
        return asks;
    }

    @Nullable OpenAsks asksOrNull() {
        return asks;
    }

    Links links() {
        if (links == null) {
            links = new Links(cell);
        }
        return links;
    }

    @Nullable Links linksOrNull() {
        return links;
    }

    Requests<M> requests() {
        if (requests == null) {
            requests = new Requests<>();
        }
        return requests;
    }

    @Nullable Requests<M> requestsOrNull() {
        return requests;
    }

    /** A message is begun. */
    void begins(Object item) {
        if (timers != null) {
            timers.endOfIdleness(item);
        }
    }

    /** It is over, and what it asked for is granted. */
    void completed() {
        if (requests != null) {
            requests.clear();
        }
        timersCompleted();
    }

    void timersCompleted() {
        if (timers != null) {
            timers.completed();
        }
    }

    /** The next incarnation goes on with the state. */
    void kept() {
        if (timers != null) {
            timers.failed();
        }
    }

    EndHooks hooks() {
        if (hooks == null) {
            hooks = new EndHooks();
        }
        return hooks;
    }

    boolean hasHooks() {
        return hooks != null && !hooks.isEmpty();
    }

    @Nullable CellTimers<M> timersOrNull() {
        return timers;
    }

    CellTimers<M> timers() {
        if (timers == null) {
            timers = new CellTimers<>(cell);
        }
        return timers;
    }

    /** Those whose ends it is to hear of. */
    List<ActorRef<?>> monitored() {
        List<ActorRef<?>> all = new ArrayList<>();
        if (monitors != null) {
            monitors.forEach(each -> all.add(each.actor()));
        }
        return all;
    }

    Set<MonitorEntry<M>> monitors() {
        if (monitors == null) {
            monitors = new LinkedHashSet<>();
        }
        return monitors;
    }

    Set<GroupWatchEntry<M, ?>> groupWatches() {
        if (groupWatches == null) {
            groupWatches = new LinkedHashSet<>();
        }
        return groupWatches;
    }

    /** The fiber is over: its askers and those that it is linked to hear of it. */
    void endOfFiber(ExitReason reason, String why) {
        if (stopLimit != null) {
            stopLimit.cancel();
            stopLimit = null;
        }
        if (asks != null && asks.size() > 0) {
            asks.failAll(why, reason.failure());
        }
        asks = null;
        if (links != null) {
            links.over(reason);
        }
        links = null;
        if (children != null) {
            cell.core().removeChildrenOf(cell, children);
        }
        children = null;
        Holding holding = requests == null ? null : requests.holdingOrNull();
        if (holding != null) {
            holding.over();
        }
        requests = null;
        endAsked = null;
        thrown = null;
        ended = null;
    }

    /** There is something that the next incarnation, which keeps the state, goes on with. */
    boolean hasState() {
        return hooks != null
                || timers != null
                || monitors != null
                || groupWatches != null
                || trap != null;
    }

    /** The state is over; returns what failed in the hooks that had not run yet. */
    List<Throwable> endOfState(ExitReason reason) {
        if (timers != null) {
            timers.close();
        }
        if (monitors != null) {
            new ArrayList<>(monitors).forEach(MonitorEntry::close);
        }
        if (groupWatches != null) {
            new ArrayList<>(groupWatches).forEach(GroupWatchEntry::close);
        }
        return hooks == null ? List.of() : hooks.runAll(reason);
    }
}
