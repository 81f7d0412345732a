package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.fibers.spi.Alarm;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The children of a supervisor that come up in order, each before the next: those of a tree that
 * starts, and those of a group of which one failed. A child is a member from the failure on until
 * it is up, or is not started again. That a child of a group comes up again is known from here
 * alone, however it ended.
 *
 * <pre>
 *   UP        it still runs: it is to be ended, after those that are younger
 *   STOPPING  its end is awaited, or that of what its kept state has left to do
 *   NEW, DOWN it is to be started, after those that are older and not before its back-off is over
 *   STARTING  its start is awaited
 *   STOPPED   it is over for good: a new child of its spec is started in its place
 * </pre>
 *
 * <p>It takes a step at each event of its supervisor, and never waits: limits and back-offs are
 * alarms. Confined to the supervisor's cord.
 */
final class OrderedStart {
    private final SupervisorLife owner;

    /** In start order. */
    private final List<Child> members = new ArrayList<>();

    /** Of the member that is STARTING. */
    private @Nullable Start awaited;

    /** Its limit, or the end of a back-off. */
    private @Nullable Alarm alarm;

    /** The member that could not be spun: to be decided on by an event; otherwise null. */
    private @Nullable Child unspun;

    /** Nothing comes up before a member has ended. */
    private boolean awaitsEnds;

    OrderedStart(SupervisorLife owner) {
        this.owner = owner;
    }

    boolean isOver() {
        return members.isEmpty();
    }

    boolean contains(Child child) {
        return members.contains(child);
    }

    /** The one that starts, not one that came up since. */
    boolean isAwaited(Start begun) {
        return awaited == begun;
    }

    /** They join, in the order of all children. One that starts is ended first. */
    void add(List<Child> group, Children all) {
        Set<Child> joined = new HashSet<>(members);
        joined.addAll(group);
        members.clear();
        for (Child child : all.toList()) {
            if (joined.contains(child)) {
                members.add(child);
            }
        }
        for (Child child : group) {
            if (child.state() == Child.State.STARTING) {
                setAside();
                awaitsEnds(true);
                owner.ends().askToStop(child, false);
            }
        }
    }

    /** It is started by nobody here; no effect on one that is no member. */
    void leave(Child child) {
        if (members.isEmpty() || !members.remove(child)) {
            return;
        }
        if (child.state() == Child.State.STARTING) {
            setAside();
        }
        if (unspun == child) {
            unspun = null;
        }
    }

    /** It is up, if that is what was awaited. */
    void isUp(Start begun) {
        if (awaited != begun) {
            return;
        }
        setAside();
        Child child = members.removeFirst();
        child.state(Child.State.STARTING, Child.State.UP);
    }

    /** The awaited start has failed, or takes too long. */
    void setAside() {
        awaited = null;
        cancelAlarm();
    }

    /** A child that could not be spun may be tried again. */
    void decided(Child child) {
        if (unspun == child) {
            unspun = null;
        }
    }

    /** Its members are what they are; nothing more is done for them. */
    void clear() {
        members.clear();
        unspun = null;
        setAside();
        awaitsEnds(false);
    }

    /** In start order, to be looked at while some leave. */
    List<Child> toList() {
        return List.copyOf(members);
    }

    /** Goes on as far as it gets without waiting. */
    void go(boolean isTogether, Duration startLimit) {
        if (awaited == null) {
            cancelAlarm(); // of a back-off: it is looked at again
        }
        awaitsEnds(has(Child.State.STOPPING));
        while (!members.isEmpty() && !awaitsEnds) {
            Child youngest = youngestUp();
            if (youngest != null) {
                awaitsEnds(true);
                owner.ends().askToStop(youngest, false);
            } else if (awaited != null || unspun != null || !startNext(isTogether, startLimit)) {
                return;
            }
        }
    }

    /** False if it is too early, or its end is to be decided on. */
    private boolean startNext(boolean isTogether, Duration startLimit) {
        long leftNs = isTogether ? longestDelayNs() : owner.delayLeftNs(members.getFirst());
        if (leftNs > 0) {
            alarm = Alarm.after(leftNs, () -> owner.cell().post(new SupervisorEvent.DelayOver()));
            return false;
        }
        Child next = members.getFirst();
        if (next.state() == Child.State.STOPPED) {
            next = owner.inPlaceOf(next);
            members.set(0, next);
        }
        Start begun = Start.toldTo(owner.cell(), owner.cell().path() + "/" + next.what.name());
        awaited = begun;
        owner.spin(next, begun, Child.State.STARTING);
        if (next.state() != Child.State.STARTING) {
            setAside();
            unspun = next;
            owner.cell().post(new SupervisorEvent.TryAgain(next));
            return false;
        }
        alarm = owner.alarmAfter(startLimit, new SupervisorEvent.StartLimit(begun));
        return true;
    }

    private long longestDelayNs() {
        long longest = 0;
        for (Child child : members) {
            longest = Math.max(longest, owner.delayLeftNs(child));
        }
        return longest;
    }

    private boolean has(Child.State state) {
        for (Child child : members) {
            if (child.state() == state) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Child youngestUp() {
        for (int i = members.size() - 1; i >= 0; i--) {
            if (members.get(i).state() == Child.State.UP) {
                return members.get(i);
            }
        }
        return null;
    }

    private void awaitsEnds(boolean now) {
        if (awaitsEnds != now) {
            awaitsEnds = now;
            owner.cell().awaitsEnds(now);
        }
    }

    private void cancelAlarm() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
    }

    @Override
    public String toString() {
        return "to come up in order: " + members;
    }
}
