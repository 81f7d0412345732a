package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import java.util.ArrayDeque;
import java.util.List;

/**
 * How a supervisor ends its children for its own end: the only turn that waits. Meanwhile it takes
 * what comes to the inbox: it notes which children are up and down, answers questions, refuses what
 * others wait for, and leaves the rest for later. Confined to the supervisor's cord.
 */
final class LastTurn {
    private static final long NOT_WAITING = -1;

    private final SupervisorLife life;
    private final ChildEnds ends;
    private final SupervisorCell cell;
    private final NamedChildren children;
    private final ArrayDeque<SupervisorEvent> inbox;
    private final ArrayDeque<SupervisorEvent> later;

    private long waitNumber = NOT_WAITING;

    LastTurn(SupervisorLife life, ChildEnds ends) {
        this.life = life;
        this.ends = ends;
        this.cell = life.cell();
        this.children = cell.namedChildren();
        this.inbox = cell.inbox();
        this.later = life.later();
    }

    /** Those that the supervisor's next incarnation may start again have not ended for good. */
    void stopAll(boolean isLast) {
        List<Child> reversed = children.toList().reversed();
        if (cell.isLastLife(isLast)) {
            reversed.forEach(this::endIfDown);
        }
        if (cell.rules().strategy().stopsSideBySide()) {
            cell.awaitsEnds(true);
            reversed.forEach(child -> ends.askToStop(child, isLast));
            reversed.forEach(this::awaitAsked);
            cell.awaitsEnds(false);
        } else {
            stopInOrder(reversed, isLast);
        }
        settleEnds();
        if (isLast) {
            endStates();
        }
    }

    /** Those that ask it need not wait until this supervisor is over. */
    private void endIfDown(Child child) {
        if (child.state() == Child.State.DOWN && !child.isStateLeft()) {
            cell.releaseName(child);
            child.what.end(lastReason(child));
        }
    }

    private static ExitReason lastReason(Child child) {
        ExitReason last = child.lastReason();
        return last == null ? ChildEnds.withSupervisor() : last;
    }

    /** One after the other. */
    private void stopInOrder(List<Child> inOrder, boolean isLast) {
        cell.awaitsEnds(true);
        for (Child child : inOrder) {
            ends.askToStop(child, isLast);
            awaitAsked(child);
        }
        cell.awaitsEnds(false);
    }

    /** Of those that have ended, and are not started again. */
    void endStates() {
        for (Child child : children.toList().reversed()) {
            if (ends.beginStateEnd(child, lastReason(child))) {
                awaitEnd(child);
            }
        }
    }

    void awaitEnd(Child child) {
        cell.awaitsEnds(true);
        awaitAsked(child);
        cell.awaitsEnds(false);
    }

    /** If it was asked to stop. Each has its own limit, also if they stop side by side. */
    private void awaitAsked(Child child) {
        long limitNs = Waits.nanos(child.stopLimit(cell.rules()));
        boolean isEndless = limitNs >= Long.MAX_VALUE / 2;
        long deadlineNs =
                isEndless
                        ? Long.MAX_VALUE
                        : child.past().stopBeganNs + limitNs + ChildEnds.GRACE_NS;
        while (child.state() == Child.State.STOPPING) {
            if (!pump(deadlineNs)) {
                ends.giveUpOn(child);
            }
        }
    }

    // ---------------------------------------------------------------- waiting

    /** Whether it waited, and goes on with this. */
    boolean isWoken(Object value) {
        if (waitNumber == NOT_WAITING) {
            return false;
        }
        Fiber<?> waiting = life.fiber();
        Waits.resume(waiting, waitNumber, value);
        waitNumber = NOT_WAITING;
        return true;
    }

    /**
     * Waits for an event, and takes from it what may not wait. False if the time has come.
     *
     * @param deadlineNs on the clock of the cord; {@code Long.MAX_VALUE} for none
     */
    private boolean pump(long deadlineNs) {
        SupervisorEvent event = inbox.poll();
        if (event == null) {
            long leftNs =
                    deadlineNs == Long.MAX_VALUE ? deadlineNs : deadlineNs - cell.cord().nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            waitNumber = Waits.nextNumber();
            try {
                Waits.park(cell, leftNs);
            } finally {
                waitNumber = NOT_WAITING;
            }
            return !inbox.isEmpty() || deadlineNs > cell.cord().nanoTime();
        }
        if (event instanceof SupervisorEvent.Ended ended) {
            Child child = ended.child();
            if (ChildEnds.isOf(ended) && child.state() == Child.State.UP) {
                later.add(ended); // not asked for: its failure is told later
                child.state(Child.State.UP, Child.State.DOWN);
            } else {
                if (ChildEnds.isOf(ended)) {
                    isOver(child, ended);
                }
                ended.failStart();
            }
        } else if (event instanceof SupervisorEvent.Tell tell) {
            tell.answer().give(children.infos());
        } else if (event.isAwaited()) {
            event.refused(); // what is being stopped may be waiting for it
        } else {
            later.add(event);
        }
        return true;
    }

    /** It was stopped, or did not come up. */
    private void isOver(Child child, SupervisorEvent.Ended ended) {
        if (ended.phase() == SupervisorEvent.Phase.STATE_ENDED) {
            ends.afterStateEnd(child);
            return;
        }
        ends.isDown(child, ended);
        child.past().lastReason = ended.reason();
        Departure asked = child.departure();
        if (asked != null) {
            asked.tell(ended.reason());
        }
    }

    // ---------------------------------------------------------------- what ended meanwhile

    /**
     * Children that ended by themselves before they were to be stopped: their failures are told,
     * and one that never came up is not started again.
     */
    private void settleEnds() {
        later.addAll(inbox);
        inbox.clear();
        later.removeIf(event -> event instanceof SupervisorEvent.Ended ended && settle(ended));
        inbox.addAll(later);
        later.clear();
    }

    /** False if it is the end of an earlier incarnation. */
    private boolean settle(SupervisorEvent.Ended ended) {
        if (!ChildEnds.isOf(ended)) {
            return false;
        }
        Child child = ended.child();
        child.past().lastReason = ended.reason();
        FailureReport report = Restarts.report(ended);
        if (report != null) {
            cell.report(report);
        }
        Start waited = ended.start();
        child.past().isToForget |= waited != null && waited.isNew();
        if (ended.phase() == SupervisorEvent.Phase.FIRST_START) {
            ends.forgetOrKeep(child, ended.reason());
        }
        ended.failStart();
        return true;
    }

    @Override
    public String toString() {
        return "the last turn of " + cell;
    }
}
