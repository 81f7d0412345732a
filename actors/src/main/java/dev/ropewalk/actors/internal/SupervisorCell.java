package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartDelays;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.supervision.RestartWindow;
import dev.ropewalk.fibers.supervision.TooManyRestartsException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A supervisor: a handler fiber with an inbox of {@link SupervisorEvent}s, which survives its own
 * restarts. It is no actor: what it is told is not the user's, and an end of a child that was asked
 * for is no failure.
 *
 * <pre>
 *   DOWN     -> DELAYED   the first turn of an incarnation that has a back-off to wait for
 *   DOWN     -> RUNNING   the same, of one that has none; also DELAYED -> RUNNING
 *   RUNNING  -> DRAINING  it was told to let its children come to the end of their mailboxes: each
 *                         is told to stop when the one started after it has ended; none is added
 *   RUNNING, DRAINING -> STOPPING  it was told to stop; its children end in reverse order
 *   DELAYED, RUNNING, DRAINING, STOPPING -> DOWN   the incarnation is over; its own supervisor decides
 *   DOWN     -> ENDED     it is not started again; events are refused
 * </pre>
 *
 * Retries come through the inbox like everything else, so that a stop gets in between endless
 * restarts. Everything but the final fields is confined to the supervisor's cord.
 */
public final class SupervisorCell extends Supervisor implements Handler, Supervised {
    private enum State {
        DOWN,
        DELAYED,
        RUNNING,
        DRAINING,
        STOPPING,
        ENDED
    }

    private static final Logger LOG = Logs.logger(Supervisor.class);

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

    private final String path;
    private final String name;
    private final Cord cord;
    private final Supervision rules;
    private final SystemCore core;

    /** Null for the root of a system. */
    private final @Nullable SupervisorCell parent;

    private final Child self;

    /** Of actors that have none of their own. */
    private final RestartRule restartRule;

    private final Children children = new Children();
    private final ArrayDeque<SupervisorEvent> inbox = new ArrayDeque<>();

    /** Counted on the cord, read from anywhere. */
    private final AtomicLong restarts = new AtomicLong();

    private State state = State.DOWN;
    private RestartWindow window;
    private @Nullable Fiber<?> fiber;

    /** Until it runs; null if it starts at once and nobody waits for it. */
    private @Nullable Start start;

    /** The last incarnation ended because it was told to. */
    private boolean overByItself;

    /** A supervisor, not yet started; without a parent it is the root of a system. */
    public SupervisorCell(
            String name,
            Cord cord,
            Supervision rules,
            @Nullable SupervisorCell parent,
            SystemCore core) {
        this(
                name,
                parent == null ? name : parent.path + "/" + name,
                cord,
                rules,
                parent,
                core,
                RestartRule.TRANSIENT);
    }

    private SupervisorCell(
            String name,
            String path,
            Cord cord,
            Supervision rules,
            @Nullable SupervisorCell parent,
            SystemCore core,
            RestartRule restartRule) {
        this.name = Objects.requireNonNull(name, "name");
        this.path = path;
        this.cord = Objects.requireNonNull(cord, "cord");
        this.rules = Objects.requireNonNull(rules, "rules");
        this.parent = parent;
        this.core = core;
        this.restartRule = restartRule;
        this.self = new Child(this, parent);
        this.window = new RestartWindow(rules.intensity(), rules.period());
    }

    /** The supervisor of an actor's own children, started as a child of the actor's fiber. */
    static SupervisorCell below(ActorCell<?> actor) {
        SupervisorCell below =
                new SupervisorCell(
                        actor.name(),
                        actor.ref().path(),
                        actor.cord(),
                        Supervision.oneForOne(),
                        null,
                        actor.child().supervisor().core,
                        RestartRule.TEMPORARY);
        actor.cord().spinHandler("children of " + actor.name(), below);
        return below;
    }

    // ---------------------------------------------------------------- for programs

    @Override
    public <M> ActorRef<M> spin(Cord where, String actorName, Actor<M> actor) {
        ActorCell<M> child = new ActorCell<>(actorName, where, actor, this);
        post(new SupervisorEvent.Take(child.child(), null));
        return child.ref();
    }

    @Override
    public <M> ActorRef<M> start(Cord where, String actorName, Actor<M> actor) {
        checkOutside("start " + actorName);
        Waits.switchpoint();
        ActorCell<M> child = new ActorCell<>(actorName, where, actor, this);
        Start begun = Start.awaited(child.ref().path());
        boolean isUp = false;
        post(new SupervisorEvent.Take(child.child(), begun));
        try {
            begun.await(rules.startLimit());
            isUp = true;
        } finally {
            if (!isUp) {
                post(new SupervisorEvent.Remove(child.child()));
            }
        }
        return child.ref();
    }

    /** The supervisor's own fiber would wait for what it is to do itself. */
    private void checkOutside(String what) {
        Fiber<?> here = Fiber.currentOrNull();
        if (here != null && Waits.handler(here) == this) {
            throw new IllegalStateException(
                    this + " cannot " + what + " and wait for it in a listener; use spin");
        }
    }

    @Override
    public Supervisor supervise(String supervisorName, Supervision below) {
        SupervisorCell child =
                new SupervisorCell(
                        supervisorName, cord, Objects.requireNonNull(below, "below"), this, core);
        post(new SupervisorEvent.Take(child.self, null));
        return child;
    }

    @Override
    public long restarts() {
        return restarts.get();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Cord cord() {
        return cord;
    }

    /** Starts the root of a system as a child of the current fiber. */
    public Fiber<?> startRoot() {
        return cord.spinHandler(name, this);
    }

    /** Lets the children come to the end of their mailboxes; does not wait. From any thread. */
    @Override
    public void drain() {
        post(new SupervisorEvent.Drain());
    }

    @Override
    public void drainAgain() {
        drain();
    }

    /** {@return the actors below that have not ended, in start order} From any thread. */
    public List<ActorRef<?>> living() {
        WaitCell answer = new WaitCell();
        post(new SupervisorEvent.Tell(answer));
        List<?> told = (List<?>) Objects.requireNonNull(answer.await("the children of " + name));
        List<ActorRef<?>> living = new ArrayList<>();
        for (Object each : told) {
            switch (each) {
                case SupervisorCell below -> living.addAll(below.living());
                case ActorCell<?> actor -> living.add(actor.ref());
                default -> throw new IllegalStateException("unknown child " + each);
            }
        }
        return living;
    }

    /** Ends the children in reverse order, then the supervisor; does not wait. From any thread. */
    public void stopAll() {
        post(new SupervisorEvent.StopAll());
    }

    // ---------------------------------------------------------------- the inbox

    /** From any thread. */
    void post(SupervisorEvent event) {
        if (cord.isCurrent()) {
            accept(event);
        } else {
            cord.post(new Delivery(this, event));
        }
    }

    private void accept(SupervisorEvent event) {
        if (state == State.ENDED) {
            event.refused();
            return;
        }
        inbox.add(event);
        if (fiber != null) {
            Waits.resumeHandler(fiber, NEXT);
        }
    }

    // ---------------------------------------------------------------- turns

    /**
     * Handles all that was queued in one turn: with one event a turn, a fiber that makes many
     * actors in a turn would be ahead of it by more and more, and so would actors that end. Not
     * where fibers are limited, because then those that it starts have to end in between.
     */
    @Override
    public @Nullable Object handle(@Nullable Object value) throws Exception {
        if (value == Handler.START) {
            begin();
        }
        int left = cord.maxFibers() == Integer.MAX_VALUE ? MAX_IN_A_TURN : 1;
        for (int queued = Math.min(inbox.size(), left); queued > 0; queued--) {
            if (!on(inbox.remove())) {
                return Handler.END;
            }
        }
        return inbox.isEmpty() ? Handler.WAIT : NEXT;
    }

    private void begin() {
        fiber = Fiber.current();
        overByItself = false;
        if (isDelayed()) {
            state(State.DOWN, State.DELAYED);
            Fiber.sleep(Duration.ofNanos(Objects.requireNonNull(start).delayNs()));
            state(State.DELAYED, State.RUNNING);
        } else {
            state(State.DOWN, State.RUNNING);
        }
        window = new RestartWindow(rules.intensity(), rules.period());
        for (Child child : children.toList()) {
            if (isToStartAgain(child)) {
                child.delays = null;
                spin(child, null);
            } else {
                String why = "its supervisor " + name + " was started again";
                remove(child, new ExitReason.Shutdown(why));
            }
        }
        if (start != null) {
            start.done();
            start = null;
        }
    }

    /** Not if it ended by itself just before this supervisor did. */
    private static boolean isToStartAgain(Child child) {
        return child.state() == Child.State.RUNNING
                && switch (child.what.restartRule()) {
                    case PERMANENT -> true;
                    case TRANSIENT -> !child.what.isOverByItself();
                    case TEMPORARY -> false;
                };
    }

    /** False if it was told to stop, and its children have ended. */
    private boolean on(SupervisorEvent event) {
        switch (event) {
            case SupervisorEvent.Take(Child child, @Nullable Start begun) -> {
                if (state == State.DRAINING) {
                    event.refused();
                    return true;
                }
                children.add(child);
                child.state(Child.State.NEW, Child.State.RUNNING);
                spin(child, begun);
            }
            case SupervisorEvent.Ended ended -> {
                onEnded(ended);
                return state != State.DRAINING || drainNext();
            }
            case SupervisorEvent.Drain _ -> {
                if (state == State.RUNNING) {
                    state(State.RUNNING, State.DRAINING);
                    return drainNext();
                }
            }
            case SupervisorEvent.Tell(WaitCell answer) ->
                    answer.give(children.toList().stream().map(child -> child.what).toList());
            case SupervisorEvent.Remove(Child child) -> {
                if (child.state() == Child.State.RUNNING) {
                    child.state(Child.State.RUNNING, Child.State.STOPPING);
                    child.what.stop(Objects.requireNonNull(child.fiber));
                }
            }
            case SupervisorEvent.StopAll _ -> {
                state(state, State.STOPPING);
                stopChildren();
                overByItself = true;
                return false;
            }
        }
        return true;
    }

    /** Tells the youngest to end, if it was not told; false if there is none left. */
    private boolean drainNext() {
        Child youngest = children.youngest();
        if (youngest == null) {
            overByItself = true;
            return false;
        }
        if (!youngest.isDraining) {
            youngest.isDraining = true;
            youngest.what.drain();
        }
        return true;
    }

    private void spin(Child child, @Nullable Start begun) {
        try {
            Handler next = child.what.incarnation(begun);
            child.fiber = child.what.cord().spinHandler(child.what.name(), next);
        } catch (CordClosedException e) {
            String why = String.valueOf(e.getMessage());
            remove(child, new ExitReason.Shutdown(why));
            if (begun != null) {
                begun.failed(why, e);
            }
        }
    }

    private void remove(Child child, ExitReason reason) {
        children.remove(child);
        child.state(child.state(), Child.State.GONE);
        child.what.end(reason);
    }

    private void onEnded(SupervisorEvent.Ended ended) {
        Child child = ended.child();
        ExitReason reason = ended.reason();
        if (child.fiber != ended.fiber() || child.state() == Child.State.GONE) {
            return; // an incarnation from before this supervisor's own restart
        }
        if (child.state() == Child.State.STOPPING) {
            remove(child, reason);
            return;
        }
        Throwable failure = Restarts.failure(child.what.name(), reason);
        if (failure != null) {
            report(child.what.name(), failure);
        }
        boolean cordHasEnded =
                ended.phase() == SupervisorEvent.Phase.NEVER_RAN
                        && failure instanceof CordClosedException;
        boolean isDrained = child.isDraining && !reason.isFailure();
        if (cordHasEnded
                || isDrained
                || ended.phase() == SupervisorEvent.Phase.FIRST_START
                || !Restarts.follow(child.what.restartRule(), reason)) {
            remove(child, reason);
            return;
        }
        long nowNs = cord.nanoTime();
        if (!window.allow(nowNs)) {
            throw new TooManyRestartsException(
                    "supervisor " + name + " gives up on " + child.what.name() + ": " + window,
                    failure);
        }
        restarts.incrementAndGet();
        if (child.delays == null) {
            child.delays = new RestartDelays(rules.backOff());
        }
        long delayNs = child.delays.next(nowNs, cord::nextInt);
        spin(child, Start.after(child.what.name(), delayNs));
        if (child.isDraining) {
            child.what.drainAgain();
        }
    }

    /** Tells the listener; from any thread. */
    void report(String actor, Throwable failure) {
        try {
            rules.onFailure().failed(actor, failure);
        } catch (Throwable broken) {
            // Any failure: the other children need this supervisor. A termination that comes out
            // of a listener that waits is raised again where the supervisor waits.
            Logs.tellBroken(LOG, broken, "the failure listener of {} failed for {}", name, actor);
        }
    }

    private void stopChildren() {
        for (Child child = children.youngest(); child != null; child = child.older) {
            Fiber<?> running = Objects.requireNonNull(child.fiber, "fiber");
            child.what.stop(running);
            if (!running.awaitEnd(child.what.stopLimit(rules))) {
                LOG.warn("{} did not end within {}", child.what, rules.stopLimit());
            }
        }
    }

    // ---------------------------------------------------------------- its own end

    @Override
    public boolean onEnd(Fiber<?> ended, @Nullable Throwable failure) {
        boolean began = state != State.DOWN;
        boolean terminated = failure instanceof FiberTerminatedException;
        fiber = null;
        if (began) {
            state(state, State.DOWN);
        }
        Start waited = start;
        start = null;
        if (waited != null) {
            waited.failed(String.valueOf(failure), failure);
        }
        ExitReason reason =
                failure == null || (overByItself && terminated)
                        ? new ExitReason.Normal()
                        : terminated
                                ? new ExitReason.Shutdown("it was terminated")
                                : new ExitReason.Failed(failure);
        if (parent == null) {
            end(reason);
            return false;
        }
        parent.post(
                new SupervisorEvent.Ended(
                        self,
                        ended,
                        began ? SupervisorEvent.Phase.RAN : SupervisorEvent.Phase.NEVER_RAN,
                        reason));
        return true;
    }

    @Override
    public void end(ExitReason reason) {
        if (!cord.isCurrent()) {
            cord.post(new EndHere(this));
            return;
        }
        endHere();
    }

    /** It will not be started again: neither will its children. */
    private void endHere() {
        if (state != State.ENDED) {
            state(state, State.ENDED);
        }
        for (Child child : children.toList()) {
            remove(child, new ExitReason.Shutdown("its supervisor " + name + " has ended"));
        }
        for (SupervisorEvent event = inbox.poll(); event != null; event = inbox.poll()) {
            event.refused();
        }
    }

    // ---------------------------------------------------------------- the supervisor's side

    @Override
    public RestartRule restartRule() {
        return RestartRule.TRANSIENT;
    }

    @Override
    public Handler incarnation(@Nullable Start how) {
        start = how;
        return this;
    }

    private boolean isDelayed() {
        return start != null && start.delayNs() > 0;
    }

    /** In its delay it would not hear a stop; nothing runs below it then. */
    @Override
    public void stop(Fiber<?> incarnation) {
        if (state == State.DELAYED || (state == State.DOWN && isDelayed())) {
            incarnation.terminate();
        } else {
            stopAll();
        }
    }

    /** It keeps the limits of its own children. */
    @Override
    public Duration stopLimit(Supervision above) {
        return Waits.FOREVER;
    }

    @Override
    public boolean isOverByItself() {
        return overByItself;
    }

    /** Where an actor has no rule of its own. */
    RestartRule restartRule(ActorCell<?> child) {
        return restartRule;
    }

    // ---------------------------------------------------------------- looking

    Supervision rules() {
        return rules;
    }

    String path() {
        return path;
    }

    SystemCore core() {
        return core;
    }

    private void state(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    /** On the cord. */
    public void checkInvariants() {
        children.checkInvariants();
        if (state == State.ENDED && (children.size() > 0 || !inbox.isEmpty())) {
            throw new IllegalStateException("ended with children or events: " + this);
        }
    }

    @Override
    public String toString() {
        return "supervisor " + path;
    }

    /** An event from another thread on its way. */
    private static final class Delivery extends CordMessage {
        private final SupervisorCell cell;
        private final SupervisorEvent event;

        Delivery(SupervisorCell cell, SupervisorEvent event) {
            this.cell = cell;
            this.event = event;
        }

        @Override
        public void onCord() {
            cell.accept(event);
        }

        @Override
        public void onClosed() {
            event.refused();
        }
    }

    /** The end, on the supervisor's cord. */
    private static final class EndHere extends CordMessage {
        private final SupervisorCell cell;

        EndHere(SupervisorCell cell) {
            this.cell = cell;
        }

        @Override
        public void onCord() {
            cell.endHere();
        }

        @Override
        public void onClosed() {
            cell.endHere(); // nobody else touches it now, and messages below must be reported
        }
    }
}
