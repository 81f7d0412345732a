package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartDelays;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.supervision.RestartWindow;
import dev.ropewalk.fibers.supervision.TooManyRestartsException;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * One life of a supervisor, from its start to its end: a handler fiber that takes the events of its
 * {@link SupervisorCell}, which survives it. It is no actor: what it is told is not the user's, and
 * an end of a child that was asked for is no failure.
 *
 * <pre>
 *   NEW       -> DELAYED    the first turn, if there is a back-off to wait for
 *   NEW       -> STARTING   the first turn, if there is none; also DELAYED -> STARTING
 *   STARTING  -> RUNNING    the children of its tree are up, one after the other
 *   RUNNING   -> DRAINING   it was told to let its children come to the end of their mailboxes: each
 *                           is told to stop when the one started after it has ended; none is added
 *   DELAYED, STARTING, RUNNING, DRAINING -> STOPPING  it was told to stop, a start failed, there were
 *                           too many restarts, or significant children ended: all end in reverse
 *                           order
 *   NEW       -> STOPPING   the supervisor is not started again: the end hooks of its children's kept
 *                           states run
 * </pre>
 *
 * <p>Its turns do not wait: children come up in order, and end, by events ({@link OrderedStart},
 * {@link Departure}), and limits and back-offs are alarms. So what befalls a child, and what is
 * asked of the supervisor, waits for no other child. Only its last turn waits ({@link LastTurn}).
 *
 * <p>The rules of restarts, auto-shutdown and stopping are those of OTP's supervisor, whose loop
 * waits for each child that it starts or ends; this one does not. Not known: whether a program
 * relies on a start that holds up its supervisor.
 *
 * <p>Confined to the supervisor's cord.
 */
final class SupervisorLife implements Handler {
    private enum State {
        NEW,
        DELAYED,
        STARTING,
        RUNNING,
        DRAINING,
        STOPPING
    }

    /** Handled in less than a tick, and more than a maker of actors sends at once. */
    private static final int MAX_IN_A_TURN = 4_096;

    /** Another turn for what is in the inbox. */
    private static final Object NEXT =
            new Object() {
                @Override
                public String toString() {
                    return "next";
                }
            };

    private final SupervisorCell cell;
    private final NamedChildren children;
    private final ArrayDeque<SupervisorEvent> inbox;
    private final Supervision rules;
    private final Cord cord;

    private final RestartWindow window;
    private final OrderedStart order = new OrderedStart(this);
    private final ChildEnds ends;
    private final LastTurn lastTurn;

    /** The events for later: when it is up, or its last turn is over. */
    private final ArrayDeque<SupervisorEvent> later = new ArrayDeque<>();

    /** Null but where it does what the kept states below have left to do, and nothing else. */
    private final @Nullable ExitReason stateEnd;

    private State state = State.NEW;

    /** Null before the first turn. */
    private @Nullable Fiber<?> fiber;

    /** Until it runs; null if it starts at once and nobody waits for it. */
    private @Nullable Start start;

    /** Its back-off. */
    private @Nullable Alarm delay;

    /** It ends because it was told to. */
    private boolean isOverByItself;

    private SupervisorLife(
            SupervisorCell cell, @Nullable Start start, @Nullable ExitReason stateEnd) {
        this.cell = cell;
        this.children = cell.namedChildren();
        this.inbox = cell.inbox();
        this.rules = cell.rules();
        this.cord = cell.cord();
        this.start = start;
        this.stateEnd = stateEnd;
        this.window = new RestartWindow(rules.intensity(), rules.period());
        this.ends = new ChildEnds(this);
        this.lastTurn = new LastTurn(this, ends);
    }

    /** An incarnation. */
    static SupervisorLife of(SupervisorCell cell, @Nullable Start start) {
        return new SupervisorLife(cell, start, null);
    }

    /** A life that ends the kept states below, because no incarnation goes on with them. */
    static SupervisorLife ofStateEnd(SupervisorCell cell, ExitReason reason) {
        return new SupervisorLife(cell, null, reason);
    }

    // ---------------------------------------------------------------- turns

    /** An event came. */
    void wake() {
        if (!lastTurn.isWoken(NEXT)) {
            Waits.resumeHandler(fiber(), NEXT);
        }
    }

    /**
     * Handles all that was queued in one turn: with one event a turn, a fiber that makes many
     * actors in a turn would be ahead of it by more and more, and so would actors that end. Not
     * where fibers are limited, because then those that it starts have to end in between.
     */
    @Override
    public @Nullable Object handle(@Nullable Object value) throws Exception {
        if (value == Handler.START) {
            fiber = Fiber.current();
            cell.begins(this, stateEnd == null);
            if (stateEnd != null) {
                state(State.NEW, State.STOPPING);
                lastTurn.endStates();
                return Handler.END;
            }
            begin();
        }
        int left = cord.maxFibers() == Integer.MAX_VALUE ? MAX_IN_A_TURN : 1;
        // The last turn takes events itself, so there may be fewer in the end.
        for (int queued = Math.min(inbox.size(), left); queued > 0 && !inbox.isEmpty(); queued--) {
            if (!on(inbox.remove()) || isEndOfAll()) {
                return Handler.END;
            }
        }
        return inbox.isEmpty() ? Handler.WAIT : NEXT;
    }

    /** False if it is over. */
    private boolean on(SupervisorEvent event) {
        if (state == State.DELAYED) {
            return onDelayed(event);
        }
        switch (event) {
            case SupervisorEvent.Take take -> take(take);
            case SupervisorEvent.Started(Start done) -> isUp(done);
            case SupervisorEvent.Ended ended -> onEnded(ended);
            case SupervisorEvent.TryAgain(Child child) -> tryAgain(child);
            case SupervisorEvent.DelayOver _ -> goOn();
            case SupervisorEvent.StartLimit(Start begun) -> tooLate(begun);
            case SupervisorEvent.StopLimit(Child child, Fiber<?> incarnation) ->
                    didNotEnd(child, incarnation);
            case SupervisorEvent.GiveUp giveUp -> giveUp(giveUp);
            case SupervisorEvent.StopChild(String id, WaitCell answer) -> stopNamed(id, answer);
            case SupervisorEvent.RestartChild(String id, Start begun) -> restartNamed(id, begun);
            case SupervisorEvent.RemoveChild(String id, WaitCell answer) ->
                    answer.give(removeNamed(id));
            case SupervisorEvent.Tell(WaitCell answer) -> answer.give(children.infos());
            case SupervisorEvent.Drain _ -> {
                switch (state) {
                    case STARTING -> later.add(event);
                    case RUNNING -> drainAll();
                    default -> {} // it drains
                }
            }
            case SupervisorEvent.StopAll _ -> {
                endByItself();
                return false;
            }
        }
        return state != State.DRAINING || drainNext();
    }

    /** In its own back-off its children are down, and what is asked of them is for later. */
    private boolean onDelayed(SupervisorEvent event) {
        switch (event) {
            case SupervisorEvent.DelayOver _ -> startTree();
            case SupervisorEvent.Tell(WaitCell answer) -> answer.give(children.infos());
            case SupervisorEvent.StopAll _ -> {
                endByItself();
                return false;
            }
            case SupervisorEvent.GiveUp(Start begun, WaitCell answer) -> {
                later.removeIf(other -> other.isOf(begun) && refuse(other));
                if (answer != null) {
                    answer.give(
                            "its supervisor waited for its own back-off and had not come to it");
                }
            }
            default -> later.add(event);
        }
        return true;
    }

    private static boolean refuse(SupervisorEvent event) {
        event.refused();
        return true;
    }

    /** All children end, and then it is over in an orderly way. */
    private void endByItself() {
        stopAllChildren(true);
        isOverByItself = true;
    }

    /** Those that its supervisor's next incarnation may start again have not ended for good. */
    private void stopAllChildren(boolean isLast) {
        state(state, State.STOPPING);
        order.clear();
        lastTurn.stopAll(isLast);
    }

    // ---------------------------------------------------------------- starting

    private void begin() {
        long delayNs = start == null ? 0 : start.delayNs();
        if (delayNs > 0) {
            state(State.NEW, State.DELAYED);
            delay = Alarm.after(delayNs, () -> cell.post(new SupervisorEvent.DelayOver()));
        } else {
            startTree();
        }
    }

    private void startTree() {
        state(state, State.STARTING);
        List<Child> ofTree = new ArrayList<>();
        for (Child child : children.toList()) {
            child.beginsAnew();
            if (child.spec != null && !child.isToForget()) {
                toStart(child);
                ofTree.add(child);
            } else if (isToStartAgain(child)) {
                child.state(child.state(), Child.State.DOWN);
                spin(child, null, Child.State.UP);
            } else {
                ends.forget(child, startedAgain());
            }
        }
        order.add(ofTree, children.inOrder());
        takeLater();
        goOn();
    }

    private ExitReason startedAgain() {
        return new ExitReason.Shutdown("its supervisor " + cell.path() + " was started again");
    }

    private void takeLater() {
        while (!later.isEmpty()) {
            inbox.addFirst(later.removeLast());
        }
    }

    /** The children that are to come up in order go on, as far as they get. */
    private void goOn() {
        if (state == State.DRAINING) {
            dissolve();
        }
        order.go(rules.strategy().startsTogether(), rules.startLimit());
        if (state == State.STARTING && order.isOver()) {
            state(State.STARTING, State.RUNNING);
            cell.isUp();
            if (start != null) {
                start.done();
                start = null;
            }
            takeLater();
        }
    }

    /** Not if it ended by itself just before this supervisor did. */
    private static boolean isToStartAgain(Child child) {
        return !child.isUnwanted()
                && switch (child.restartRule()) {
                    case PERMANENT -> true;
                    case TRANSIENT -> !child.what.isOverByItself();
                    case TEMPORARY -> false;
                };
    }

    /** A child of the tree as it starts: its actor goes on unless it is over for good. */
    private void toStart(Child child) {
        if (child.state() == Child.State.NEW || child.state() == Child.State.STOPPED) {
            return;
        }
        if (isToStartAgain(child)) {
            child.state(child.state(), Child.State.DOWN);
        } else {
            ends.isOver(child, startedAgain(), true);
        }
    }

    /** A new child of the same spec. */
    Child inPlaceOf(Child stopped) {
        Child anew = cell.childOf(Objects.requireNonNull(stopped.spec));
        children.replace(stopped, anew);
        return anew;
    }

    /** The start of a member takes longer than its limit. */
    private void tooLate(Start begun) {
        Child child = begun.child;
        if (child == null || !order.isAwaited(begun)) {
            return;
        }
        StartFailedException late = begun.tooLate(rules.startLimit(), null);
        cell.report(Restarts.report(child.what, late));
        ExitReason reason = new ExitReason.Failed(late);
        if (state == State.STARTING) {
            rollBack(child, reason);
        }
        order.setAside();
        child.past().isLate = true;
        ends.askToStop(child, false);
        goOn();
    }

    /** A start failed: those that are up end in reverse order. */
    private void rollBack(Child failed, ExitReason reason) {
        stopAllChildren(false);
        failed.past().lastReason = reason;
        throw new StartFailedException(
                cell.path()
                        + " did not start, because its child "
                        + failed.what.name()
                        + " did not: "
                        + Restarts.why(reason),
                reason.failure());
    }

    private void isUp(Start done) {
        if (done.child != null) {
            done.child.past().isRestarting = false;
        }
        if (order.isAwaited(done)) {
            order.isUp(done);
            goOn();
        }
    }

    private void take(SupervisorEvent.Take take) {
        Child child = take.child();
        if (state == State.DRAINING) {
            cell.releaseName(child);
            take.refuse("its supervisor " + cell.path() + " is being stopped");
            return;
        }
        children.add(child);
        spin(child, take.start(), Child.State.UP);
    }

    void spin(Child child, @Nullable Start begun, Child.State to) {
        child.state(child.state(), to);
        child.begins();
        if (begun != null) {
            begun.child = child;
        }
        try {
            Handler next = child.what.incarnation(begun);
            child.fiber = child.what.cord().spinHandler(child.what.name(), next);
        } catch (CordClosedException | TooManyFibersException e) {
            cell.report(Restarts.report(child.what, e));
            String why = String.valueOf(e.getMessage());
            child.past().lastReason = new ExitReason.Failed(e);
            if (to == Child.State.STARTING) {
                child.state(to, Child.State.DOWN);
            } else if (child.fiber != null && e instanceof TooManyFibersException) {
                child.state(to, Child.State.DOWN);
                cell.post(new SupervisorEvent.TryAgain(child));
            } else {
                child.past().isToForget |= begun != null && begun.isNew();
                ends.forgetOrKeep(child, new ExitReason.Shutdown(why));
            }
            if (begun != null) {
                begun.failed(why, e);
            }
        }
    }

    /** Posts it when the time is over; null if the time has no end. */
    @Nullable Alarm alarmAfter(Duration limit, SupervisorEvent event) {
        long nanos = Waits.nanos(limit);
        return nanos >= Long.MAX_VALUE / 2 ? null : Alarm.after(nanos, () -> cell.post(event));
    }

    // ---------------------------------------------------------------- ends of children

    private void onEnded(SupervisorEvent.Ended ended) {
        Child child = ended.child();
        if (!ChildEnds.isOf(ended)) {
            ended.failStart(); // an incarnation from before this supervisor's own restart
            return;
        }
        if (ended.phase() == SupervisorEvent.Phase.STATE_ENDED) {
            ends.afterStateEnd(child);
        } else {
            decide(child, ended);
        }
        goOn();
    }

    private void decide(Child child, SupervisorEvent.Ended ended) {
        boolean wasStarting = child.state() == Child.State.STARTING;
        boolean hasNotCome = wasStarting || child.isLate();
        boolean isOfGroup = child.state() == Child.State.STOPPING && child.departure() == null;
        boolean isByItself = child.departure() == null;
        ends.isDown(child, ended);
        child.isNotLate();
        if (wasStarting) {
            order.setAside();
        }
        Start waited = ended.start();
        if (waited != null && waited.isAwaited()) {
            child.past().isToForget |= waited.isNew(); // before its starter is told
            child.departs().fails(waited);
        }
        if (hasNotCome && isByItself && state == State.STARTING) {
            rollBack(child, ended.reason());
        }
        if (isLastEnd(child, ended)) {
            order.leave(child);
            if (child.isSignificant() && child.departure() == null) {
                child.departs().counts();
            }
            ends.forgetOrKeep(
                    child,
                    isOfGroup && !ended.reason().isFailure()
                            ? new ExitReason.Shutdown(
                                    "its group was started again before it was up, or without it")
                            : ended.reason());
        } else {
            child.past().lastReason = ended.reason();
            if (hasNotCome || !order.contains(child)) {
                startAgain(child, Restarts.failure(child.what.address(), ended.reason()));
            }
            // Otherwise it belongs to what comes up again, whether it was asked to end or not.
        }
    }

    /** Whether it is not started again; it is down. */
    private boolean isLastEnd(Child child, SupervisorEvent.Ended ended) {
        ExitReason reason = ended.reason();
        boolean cordHasEnded =
                ended.phase() == SupervisorEvent.Phase.NEVER_RAN
                        && reason.failure() instanceof CordClosedException;
        boolean isDrained = child.isDraining() && (!reason.isFailure() || ended.isAtEnd());
        if (child.departure() != null
                || cordHasEnded
                || isDrained
                || ended.phase() == SupervisorEvent.Phase.FIRST_START) {
            return true;
        }
        return order.contains(child)
                ? child.restartRule() == RestartRule.TEMPORARY
                        || (child.what instanceof Supervising below && below.endsForGood())
                : !Restarts.follow(child.restartRule(), reason);
    }

    /** Whether a significant child that is over for good ends this supervisor too. */
    private boolean isEndOfAll() {
        if (state != State.RUNNING || !ends.takeEndDue()) {
            return false;
        }
        boolean isEnd =
                switch (rules.autoShutdown()) {
                    case NEVER -> false;
                    case ANY -> true;
                    case ALL ->
                            children.toList().stream()
                                    .filter(Child::isSignificant)
                                    .allMatch(other -> other.state() == Child.State.STOPPED);
                };
        if (isEnd) {
            cell.endsByItself();
            endByItself();
        }
        return isEnd;
    }

    int recentRestarts() {
        return window.recent(cord.nanoTime());
    }

    /** A child that is down is started again, and others with it, unless that is too often. */
    private void startAgain(Child child, @Nullable Throwable failure) {
        long nowNs = cord.nanoTime();
        if (!window.allow(nowNs)) {
            String text =
                    "supervisor "
                            + cell.path()
                            + " gives up on "
                            + child.what.address()
                            + ": "
                            + window;
            if (failure != null) {
                child.past().lastReason = new ExitReason.Failed(failure);
            }
            stopAllChildren(false);
            throw new TooManyRestartsException(text, failure);
        }
        cell.countRestart();
        Child.Past past = child.past();
        if (past.delays == null) {
            past.delays = new RestartDelays(rules.backOff());
        }
        long delayNs = past.delays.next(nowNs, cord::nextInt);
        if (state == State.DRAINING || !rules.strategy().isOfGroup()) {
            startAlone(child, delayNs);
        } else {
            past.delayEndsNs = nowNs + delayNs;
            past.isDelayed = true;
            order.add(children.groupOf(child, rules.strategy()), children.inOrder());
        }
    }

    private void startAlone(Child child, long delayNs) {
        order.leave(child);
        spin(child, Start.after(delayNs, cell, child.what.address()), Child.State.UP);
        child.past().isRestarting = child.isAlive();
        if (child.isDraining()) {
            child.what.drainAgain();
        }
    }

    /** Until its back-off is over; 0 if it is. */
    long delayLeftNs(Child child) {
        return child.isDelayed() ? Math.max(0, child.past().delayEndsNs - cord.nanoTime()) : 0;
    }

    /** Tries again with a child that could not be spun. */
    private void tryAgain(Child broken) {
        order.decided(broken);
        if (broken.state() == Child.State.DOWN) {
            if (state == State.STARTING && order.contains(broken)) {
                rollBack(broken, Objects.requireNonNull(broken.lastReason()));
            }
            startAgain(broken, null);
        }
        goOn();
    }

    /** It did not end within its limit: it is taken for ended. */
    private void didNotEnd(Child child, Fiber<?> incarnation) {
        if (child.fiber != incarnation || child.state() != Child.State.STOPPING) {
            return;
        }
        boolean isLate = child.isLate();
        ends.giveUpOn(child);
        child.isNotLate();
        Departure leaving = child.departure();
        if (leaving != null && leaving.reason() != null) {
            ends.afterStateEnd(child);
        } else if (leaving != null || child.restartRule() == RestartRule.TEMPORARY) {
            order.leave(child);
            String why = "it did not end within its stop limit";
            ends.forgetOrKeep(child, new ExitReason.Shutdown(why));
        } else if (isLate) {
            startAgain(child, null);
        }
        goOn();
    }

    /** Its start took too long, or its starter was ended. */
    private void giveUp(SupervisorEvent.GiveUp event) {
        Child child = event.start().child;
        WaitCell answer = event.answer();
        if (child == null || child.state() == Child.State.GONE) {
            if (answer != null) {
                answer.give(null);
            }
            return;
        }
        child.past().isToForget |= event.start().isNew();
        order.leave(child);
        ends.end(child, "it did not start", answer);
        goOn();
    }

    // ---------------------------------------------------------------- draining

    /** From now on its children end; a group that is to come up does so one by one. */
    private void drainAll() {
        state(State.RUNNING, State.DRAINING);
        goOn();
    }

    /**
     * A child that is down is started by itself, to come to the end of its mailbox; one that is up
     * goes on.
     */
    private void dissolve() {
        for (Child child : order.toList()) {
            switch (child.state()) {
                case UP -> order.leave(child);
                case DOWN -> startAlone(child, delayLeftNs(child));
                default -> {} // when it is up, or down
            }
        }
    }

    /** Tells the youngest to end, if it was not told; false if there is none left. */
    private boolean drainNext() {
        Child youngest = children.youngest();
        while (youngest != null && youngest.state() == Child.State.STOPPED) {
            youngest = youngest.older;
        }
        if (youngest == null) {
            isOverByItself = true;
            return false;
        }
        if (!youngest.isDraining()) {
            youngest.past().isDraining = true;
            youngest.what.drain();
        }
        return true;
    }

    // ---------------------------------------------------------------- single children

    private void stopNamed(String id, WaitCell answer) {
        Child child = children.find(id, order);
        if (child == null) {
            answer.give(children.unknown(id));
            return;
        }
        order.leave(child);
        ends.end(child, "it was stopped", answer);
        goOn();
    }

    private void restartNamed(String id, Start begun) {
        Child child = children.find(id, order);
        if (child == null) {
            begun.refused(children.unknown(id));
            return;
        }
        if (child.state() != Child.State.STOPPED) {
            begun.refused(children.notStopped(child, "restarted"));
            return;
        }
        spin(inPlaceOf(child), begun, Child.State.UP);
    }

    private @Nullable Object removeNamed(String id) {
        Child child = children.find(id, order);
        if (child == null) {
            return children.unknown(id);
        }
        if (child.state() != Child.State.STOPPED) {
            return children.notStopped(child, "removed");
        }
        children.remove(child);
        return null;
    }

    // ---------------------------------------------------------------- its own end

    /** Its fiber is ended without a stop: then it ends for good if there is no supervisor above. */
    @Override
    public void endsChildren(Fiber<?> ended) {
        cell.isEnded();
    }

    /** Nobody above a root decides whether its children go on: they do not. */
    @Override
    public void cleanUp(Fiber<?> ended, @Nullable Throwable failure) {
        cell.isEnding(); // before those that await its end hear of it
        if (cell.isTop() && fiber != null) {
            lastTurn.endStates();
        }
    }

    @Override
    public boolean onEnd(Fiber<?> ended, @Nullable Throwable failure) {
        boolean began = fiber != null;
        order.clear();
        if (delay != null) {
            delay.cancel();
        }
        for (Child child : children.toList()) {
            child.hasLeft(ChildEnds.withSupervisor()); // with this fiber
        }
        takeLater();
        boolean terminated = failure instanceof FiberTerminatedException;
        ExitReason reason =
                failure == null || (isOverByItself && terminated)
                        ? new ExitReason.Normal()
                        : terminated
                                ? new ExitReason.Shutdown("it was terminated")
                                : new ExitReason.Failed(failure);
        return cell.isOver(
                new SupervisorEvent.Ended(
                        cell.child(),
                        ended,
                        phase(began, failure),
                        stateEnd == null ? reason : stateEnd,
                        start,
                        children.toList().stream().anyMatch(Child::isStateLeft)),
                failure,
                isOverByItself);
    }

    private SupervisorEvent.Phase phase(boolean began, @Nullable Throwable failure) {
        if (stateEnd != null) {
            return SupervisorEvent.Phase.STATE_ENDED;
        }
        if (!began) {
            return SupervisorEvent.Phase.NEVER_RAN;
        }
        return !cell.wasUp() && RestartRule.isFailure(failure)
                ? SupervisorEvent.Phase.FIRST_START
                : SupervisorEvent.Phase.RAN;
    }

    // ---------------------------------------------------------------- for its parts and its cell

    SupervisorCell cell() {
        return cell;
    }

    ChildEnds ends() {
        return ends;
    }

    ArrayDeque<SupervisorEvent> later() {
        return later;
    }

    Fiber<?> fiber() {
        return Objects.requireNonNull(fiber, "fiber");
    }

    boolean isStopping() {
        return state == State.STOPPING;
    }

    /** In the last turn. */
    void awaitEnd(Child child) {
        lastTurn.awaitEnd(child);
    }

    /** It is to come up with others: the ordered start has it in hand. */
    boolean hasInHand(Child child) {
        return order.contains(child);
    }

    /** In a word, for a dump. */
    String phase() {
        return state == State.RUNNING && !order.isOver() ? "REPLACING" : state.name();
    }

    private void state(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    void checkInvariants() {
        for (Child child : children.toList()) {
            boolean isForgotten =
                    state == State.RUNNING
                            && inbox.isEmpty()
                            && child.state() == Child.State.DOWN
                            && !order.contains(child);
            if (isForgotten) {
                throw new IllegalStateException(child + " of " + this + " is started by nobody");
            }
        }
    }

    /** As its supervisor is called. */
    @Override
    public String toString() {
        return cell.toString();
    }
}
