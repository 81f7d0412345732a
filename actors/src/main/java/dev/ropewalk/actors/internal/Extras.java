package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.internal.observe.Snapshots;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.routing.Gauge;
import dev.ropewalk.actors.internal.routing.Membership;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * The fields that few actors need, beside those of their cell; confined to the actor's cord.
 *
 * @param <M> the type of the messages
 */
final class Extras<M> {
    /** How often it looks again whether it may begin a message; the pauses double. */
    private static final Duration FIRST_LOOK = Duration.ofMillis(50);

    private static final Duration LAST_LOOK = Duration.ofMillis(800);

    /** Whom a watcher is told of, and whether it was told of the last incarnation. */
    private enum Interest {
        LAST_END,
        EACH_END,
        EACH_END_TOLD
    }

    /** Those that are to be told of the end. */
    private final Map<DownListener, Interest> watchers = new LinkedHashMap<>();

    /** Made by other actors while no incarnation ran: the next one gets them. */
    private final List<LinkEnd> waitingLinks = new ArrayList<>();

    /** By group; null unless it is in one. */
    private @Nullable Map<Object, Membership> groups;

    /** Of groups that it leaves, and that may not know it yet; null if there are none. */
    private @Nullable List<Membership> leaving;

    /** The number of messages in its mailbox, for routers; null unless one asks. */
    private @Nullable Gauge gauge;

    /** Which hear of its messages; immutable, null if none does. */
    private @Nullable List<Tap> taps;

    /** Whether it may begin a message now; null if it does not ask. */
    private @Nullable BooleanSupplier permit;

    /** The name of its class while it has no behavior; null if none is over. */
    @Nullable String type;

    /** Of the last incarnation, if somebody looks; null after the end. */
    @Nullable Throwable lastFailure;

    /** How often it was started again. */
    long restarts;

    /** It has ended, and waits for its groups to know, before it tells its watchers. */
    boolean isLeaving;

    /** Of the state, between two incarnations. */
    @Nullable Belongings<M> kept;

    /** An incarnation is over. Nobody asks why in a process where nobody looks. */
    void isDown(String typeName, @Nullable Throwable failure) {
        type = typeName;
        lastFailure = Snapshots.areAnyOn() ? failure : null;
    }

    /** It asks before each message from now on. */
    void needsPermit(BooleanSupplier mayBegin) {
        permit = mayBegin;
    }

    /**
     * With a message in hand that was not begun, which goes back if the actor is ended meanwhile. A
     * switchpoint for those that need a permit.
     */
    static void awaitPermit(ActorCell<?> cell) {
        if (!cell.needsPermit) {
            return;
        }
        BooleanSupplier mayBegin = Objects.requireNonNull(cell.extras().permit, "permit");
        Duration pause = FIRST_LOOK;
        while (!mayBegin.getAsBoolean() || cell.isSuspended()) {
            Fiber.sleep(pause);
            pause = longer(pause);
        }
    }

    private static Duration longer(Duration pause) {
        return pause.compareTo(LAST_LOOK) < 0 ? pause.multipliedBy(2) : pause;
    }

    void watch(DownListener watcher, boolean ofEach) {
        watchers.put(watcher, ofEach ? Interest.EACH_END : Interest.LAST_END);
    }

    void unwatch(DownListener watcher) {
        watchers.remove(watcher);
    }

    /** Another incarnation begins. */
    void begins() {
        if (watchers.containsValue(Interest.EACH_END_TOLD)) {
            watchers.replaceAll((_, now) -> now == Interest.LAST_END ? now : Interest.EACH_END);
        }
    }

    /** An incarnation is over. */
    void tellOfIncarnation(Down down) {
        if (!watchers.containsValue(Interest.EACH_END)) {
            return;
        }
        List<DownListener> told = new ArrayList<>();
        watchers.replaceAll(
                (watcher, interest) -> {
                    if (interest != Interest.EACH_END) {
                        return interest;
                    }
                    told.add(watcher);
                    return Interest.EACH_END_TOLD;
                });
        told.forEach(watcher -> watcher.down(down));
    }

    /** The actor is over; those that were told of the end of its last incarnation know. */
    private void tellOfEnd(Down down) {
        lastFailure = null; // a reference to an actor that has ended keeps no exception
        Map<DownListener, Interest> all = new LinkedHashMap<>(watchers);
        watchers.clear();
        all.forEach(
                (watcher, interest) -> {
                    if (interest != Interest.EACH_END_TOLD) {
                        watcher.down(down);
                    }
                });
    }

    /** The hooks of a kept state are left if its cord has ended, or if they took too long. */
    void endKept(ActorCell<M> cell, ExitReason reason) {
        Belongings<M> left = kept;
        kept = null;
        if (left != null) {
            Waits.asNoFiber(() -> CellEnd.cleanedUp(cell, left.endOfState(reason), null));
        }
    }

    /** The actor is over: those that link to it, watch it or observe it hear of that. */
    void over(ActorCell<M> cell, ExitReason reason) {
        takeWaiting().forEach(end -> end.other().ended(new ExitReason.NoActor()));
        List<Membership> left = takeGroups();
        if (!left.isEmpty()) {
            leaveAll(cell, left, reason);
        } else if (!isLeaving) {
            tellOfEnd(new Down(cell.ref(), reason));
        }
        taps().forEach(Taps::closed);
        taps = null;
    }

    /** Its watchers hear of the end when the last group has let it go. */
    private void leaveAll(ActorCell<M> cell, List<Membership> all, ExitReason reason) {
        isLeaving = true;
        int[] left = {all.size()};
        Runnable oneLess =
                () -> {
                    left[0]--;
                    if (left[0] == 0) {
                        isLeaving = false;
                        tellOfEnd(new Down(cell.ref(), reason));
                    }
                };
        all.forEach(each -> each.ended(() -> cell.onCord(oneLess)));
    }

    /** False if it is in it already. */
    boolean enter(Object group, Membership membership) {
        if (groups == null) {
            groups = new LinkedHashMap<>();
        }
        return groups.putIfAbsent(group, membership) == null;
    }

    boolean isInGroup() {
        return (groups != null && !groups.isEmpty()) || leaving != null;
    }

    /** Runs when the group knows; null if it was not in it. */
    @Nullable Runnable leave(Object group) {
        Membership left = groups == null ? null : groups.remove(group);
        if (left == null) {
            return null;
        }
        leaving = leaving == null ? new ArrayList<>() : leaving;
        leaving.add(left);
        return () -> hasLeft(left);
    }

    private void hasLeft(Membership left) {
        if (leaving != null) {
            leaving.remove(left);
            leaving = leaving.isEmpty() ? null : leaving;
        }
    }

    /** Also those that it leaves: their groups may show it still. */
    private List<Membership> takeGroups() {
        if (!isInGroup()) {
            return List.of();
        }
        List<Membership> taken =
                groups == null ? new ArrayList<>() : new ArrayList<>(groups.values());
        if (leaving != null) {
            taken.addAll(leaving);
        }
        groups = null;
        leaving = null;
        return taken;
    }

    Gauge gauge() {
        if (gauge == null) {
            gauge = new Gauge();
        }
        return gauge;
    }

    @Nullable Gauge gaugeOrNull() {
        return gauge;
    }

    void addTap(Tap tap) {
        List<Tap> more = taps == null ? new ArrayList<>() : new ArrayList<>(taps);
        more.add(tap);
        taps = List.copyOf(more);
    }

    /** True if nothing is left in it. */
    boolean removeTap(Tap tap) {
        List<Tap> left = new ArrayList<>(taps());
        left.remove(tap);
        taps = left.isEmpty() ? null : List.copyOf(left);
        return isEmpty();
    }

    private boolean isEmpty() {
        boolean isForOthers =
                taps != null
                        || !watchers.isEmpty()
                        || !waitingLinks.isEmpty()
                        || groups != null
                        || leaving != null
                        || gauge != null
                        || permit != null;
        boolean hasPast =
                type != null || lastFailure != null || restarts > 0 || isLeaving || kept != null;
        return !isForOthers && !hasPast;
    }

    List<Tap> taps() {
        return taps == null ? List.of() : taps;
    }

    void addWaiting(LinkEnd end) {
        waitingLinks.add(end);
    }

    void removeWaiting(LinkEnd end) {
        waitingLinks.remove(end);
    }

    List<LinkEnd> takeWaiting() {
        List<LinkEnd> taken = List.copyOf(waitingLinks);
        waitingLinks.clear();
        return taken;
    }

    int watchers() {
        return watchers.size();
    }
}
