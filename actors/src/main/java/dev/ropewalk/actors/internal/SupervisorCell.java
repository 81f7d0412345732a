package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.internal.observe.Described;
import dev.ropewalk.actors.observe.SupervisorDump;
import dev.ropewalk.actors.supervision.ActorSpec;
import dev.ropewalk.actors.supervision.ChildInfo;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.actors.supervision.Strategy;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A supervisor: a handler fiber with an inbox of {@link SupervisorEvent}s, which survives its own
 * restarts. It is no actor: what it is told is not the user's, and an end of a child that was asked
 * for is no failure.
 *
 * <pre>
 *   DOWN      -> DELAYED    the first turn of an incarnation that has a back-off to wait for
 *   DOWN      -> STARTING   the same, of one that has none; also DELAYED -> STARTING
 *   STARTING  -> RUNNING    the children of its tree are up, one after the other
 *   RUNNING   -> DRAINING   it was told to let its children come to the end of their mailboxes: each
 *                           is told to stop when the one started after it has ended; none is added
 *   DELAYED, STARTING, RUNNING, DRAINING -> STOPPING  it was told to stop, a start failed, there were
 *                           too many restarts, or significant children ended: all end in reverse
 *                           order
 *   DOWN      -> STOPPING   it is not started again: what its children's kept states have left to
 *                           do is done
 *   all but ENDED -> DOWN   the incarnation is over; its own supervisor decides
 *   DOWN      -> ENDED      it is not started again; events are refused
 * </pre>
 *
 * <p>Its turns do not wait: children come up in order, and end, by events ({@link OrderedStart},
 * {@link Departure}), and limits and back-offs are alarms. So what befalls a child, and what is
 * asked of the supervisor, waits for no other child. Only when it ends children for its own end
 * does a turn wait. It goes on taking what comes to the inbox: it notes which children are up and
 * down, answers questions, and refuses what others wait for.
 *
 * <p>The rules of restarts, auto-shutdown and stopping are those of OTP's supervisor. Everything
 * but the final fields is confined to the supervisor's cord.
 */
public final class SupervisorCell extends Supervisor implements Handler, Supervised {
    private enum State {
        DOWN,
        DELAYED,
        STARTING,
        RUNNING,
        DRAINING,
        STOPPING,
        ENDED
    }

    private static final Log LOG = Logs.logger(Supervisor.class);

    /** Handled in less than a tick, and more than a maker of actors sends at once. */
    private static final int MAX_IN_A_TURN = 4_096;

    /** More than a limit, so that the child's own cord is the first to give it up. */
    static final long GRACE_NS = Duration.ofSeconds(1).toNanos();

    private static final long NOT_WAITING = -1;

    private static final String SUPERVISOR_ENDED = "its supervisor has ended";

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
    private final RestartRule restartRuleOfActors;

    private final Children children = new Children();

    /** The children of which a program may have the name; written and read from anywhere. */
    private final ConcurrentHashMap<String, Supervised> names = new ConcurrentHashMap<>();

    private final ArrayDeque<SupervisorEvent> inbox = new ArrayDeque<>();

    /** What is for later: when it is up, or its last turn is over. */
    private final ArrayDeque<SupervisorEvent> later = new ArrayDeque<>();

    /** Counted on the cord, read from anywhere. */
    private final AtomicLong restarts = new AtomicLong();

    /** The actor whose own children it supervises; otherwise null. */
    private @Nullable ActorCell<?> owner;

    private State state = State.DOWN;
    private RestartWindow window;
    private @Nullable Fiber<?> fiber;

    /** Of the wait inside a turn. */
    private long waitNumber = NOT_WAITING;

    private final OrderedStart order = new OrderedStart(this);

    /** A significant child ended by itself: to be looked at when all others are up. */
    private boolean isEndDue;

    /** The back-off of this incarnation. */
    private @Nullable Alarm delay;

    /** Until it runs; null if it starts at once and nobody waits for it. */
    private @Nullable Start start;

    /** Some incarnation was up: what fails now is no first start. */
    private boolean wasUp;

    /** Null but while a fiber does what the kept states below have left to do. */
    private @Nullable ExitReason stateEnd;

    /** Told with the stop: no other incarnation follows. */
    private boolean isStopLast;

    /** It ends for good, and all below it; read by any thread. */
    private volatile boolean endsForGood;

    /** The system's limit for its end ran out: who waits for that end is told by its report. */
    private boolean isGivenUp;

    /** It starts nothing before a child has ended that it waits for; read by any thread. */
    private volatile boolean awaitsEnds;

    /** The last incarnation ended because it was told to. */
    private boolean overByItself;

    /** It has ended for good; read by any thread. */
    private volatile boolean isGone;

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
                null,
                RestartRule.TRANSIENT);
    }

    /** The root of a system, with the children of the tree. */
    public SupervisorCell(Tree tree, Cord cord, SystemCore core) {
        this(tree.id(), tree.id(), cord, tree.rules(), null, core, tree, RestartRule.TRANSIENT);
        tree.check();
        addAll(tree);
    }

    /** A tree below another one. */
    private SupervisorCell(Tree tree, SupervisorCell parent) {
        this(
                tree.id(),
                parent.path + "/" + tree.id(),
                parent.cord,
                tree.rules(),
                parent,
                parent.core,
                tree,
                RestartRule.TRANSIENT);
        addAll(tree);
    }

    private SupervisorCell(
            String name,
            String path,
            Cord cord,
            Supervision rules,
            @Nullable SupervisorCell parent,
            SystemCore core,
            @Nullable Tree spec,
            RestartRule restartRuleOfActors) {
        this.name = Objects.requireNonNull(name, "name");
        this.path = path;
        this.cord = Objects.requireNonNull(cord, "cord");
        this.rules = Objects.requireNonNull(rules, "rules");
        this.parent = parent;
        this.core = core;
        this.restartRuleOfActors = restartRuleOfActors;
        this.self = new Child(this, parent, spec);
        this.window = new RestartWindow(rules.intensity(), rules.period());
    }

    private void addAll(Tree tree) {
        for (ChildSpec<?> spec : tree.children()) {
            Child child = childOf(spec);
            reserveName(child.what);
            children.add(child);
        }
    }

    /** From any thread; before it is a child. */
    private void reserveName(Supervised child) {
        core.checkOpen(child);
        Supervised other = names.putIfAbsent(child.name(), child);
        if (other != null) {
            throw new IllegalArgumentException(
                    "the name "
                            + path
                            + "/"
                            + child.name()
                            + " is taken by "
                            + other
                            + (other.child().state() == Child.State.STOPPED
                                    ? ", which is STOPPED; restart or remove that one"
                                    : "; give another name, or none"));
        }
    }

    /** {@return what is below this path, null if there is nothing} From any thread. */
    @Nullable Supervised lookUp(String below) {
        int slash = below.indexOf('/');
        if (slash < 0) {
            return names.get(below);
        }
        Supervised first = names.get(below.substring(0, slash));
        String rest = below.substring(slash + 1);
        return switch (first) {
            case null -> null;
            case SupervisorCell supervisor -> supervisor.lookUp(rest);
            case ActorCell<?> actor -> {
                SupervisorCell own = core.childrenOf(actor);
                yield own == null ? null : own.lookUp(rest);
            }
            default -> null;
        };
    }

    /** {@return the address of the actor at this path, null if there is none} From any thread. */
    public @Nullable ActorRef<?> find(String below) {
        return lookUp(below) instanceof ActorCell<?> actor ? actor.ref() : null;
    }

    /** A new actor or supervisor, not yet started. */
    private Child childOf(ChildSpec<?> spec) {
        return switch (spec) {
            case ActorSpec<?> actor -> childOf(actor);
            case Tree tree -> new SupervisorCell(tree, this).self;
        };
    }

    private Child childOf(ActorSpec<?> spec) {
        Child child = new ActorCell<>(spec.id(), placement(), spec.actor(), this, spec).child();
        if (child.isSignificant() && child.restartRule() == RestartRule.PERMANENT) {
            throw new IllegalArgumentException(
                    spec.id()
                            + " is significant, but its actor is permanent, so it never ends for"
                            + " good; give the child another rule by restart(rule)");
        }
        return child;
    }

    /** The supervisor of an actor's own children, started as a child of the actor's fiber. */
    static SupervisorCell below(ActorCell<?> actor) {
        SupervisorCell below =
                new SupervisorCell(
                        actor.name(),
                        actor.ref().path(),
                        actor.cord(),
                        Supervision.oneForOne().stopLimit(belowLimit(actor)),
                        null,
                        actor.child().supervisor().core,
                        null,
                        RestartRule.TEMPORARY);
        below.owner = actor;
        actor.cord().spinHandler("children of " + actor.name(), below);
        below.core.addChildrenOf(actor, below);
        return below;
    }

    /** Shorter than the actor's own, which so has time left for its end hooks. */
    private static Duration belowLimit(ActorCell<?> actor) {
        Duration own = actor.stopLimit();
        return own.compareTo(Waits.FOREVER) >= 0 ? own : own.dividedBy(2);
    }

    // ---------------------------------------------------------------- for programs

    @Override
    public <M> ActorRef<M> spin(Cord where, String actorName, Actor<M> actor) {
        Names.checked("an actor", actorName);
        ActorCell<M> child = new ActorCell<>(actorName, where, actor, this, null);
        reserveName(child);
        post(new SupervisorEvent.Take(child.child(), null));
        return child.ref();
    }

    @Override
    public <M> ActorRef<M> spin(Cord where, Actor<M> actor) {
        ActorCell<M> child = new ActorCell<>(ActorCell.ANONYMOUS, where, actor, this, null);
        core.checkOpen(child);
        post(new SupervisorEvent.Take(child.child(), null));
        return child.ref();
    }

    @Override
    public <M> ActorRef<M> start(Cord where, String actorName, Actor<M> actor) {
        Names.checked("an actor", actorName);
        ActorCell<M> child = new ActorCell<>(actorName, where, actor, this, null);
        checkOutside("start " + actorName);
        reserveName(child);
        startAndAwait(child.child(), child.ref().path());
        return child.ref();
    }

    @Override
    public void add(ChildSpec<?> spec) {
        checkOutside("add " + spec.id());
        Tree.checkChild(name, rules, spec);
        Child child = childOf(spec);
        reserveName(child.what);
        startAndAwait(child, path + "/" + spec.id());
    }

    /** By another fiber or thread. */
    private void startAndAwait(Child child, String childPath) {
        Start begun = Start.ofNew(childPath);
        boolean isTold = false;
        try {
            Waits.switchpoint();
            isTold = true;
        } finally {
            if (!isTold) {
                releaseName(child);
            }
        }
        post(new SupervisorEvent.Take(child, begun));
        begun.awaitOrGiveUp(this);
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
        Names.checked("a supervisor", supervisorName);
        SupervisorCell child =
                new SupervisorCell(
                        supervisorName, cord, Objects.requireNonNull(below, "below"), this, core);
        reserveName(child);
        post(new SupervisorEvent.Take(child.self, null));
        return child;
    }

    @Override
    public void stop(String id) {
        WaitCell answer = new WaitCell();
        ask("stop " + id, new SupervisorEvent.StopChild(id, answer), answer);
    }

    @Override
    public void remove(String id) {
        WaitCell answer = new WaitCell();
        ask("remove " + id, new SupervisorEvent.RemoveChild(id, answer), answer);
    }

    @Override
    public void restart(String id) {
        Objects.requireNonNull(id, "id");
        checkOutside("restart " + id);
        Waits.switchpoint();
        Start begun = Start.awaited(path + "/" + id);
        post(new SupervisorEvent.RestartChild(id, begun));
        begun.awaitOrGiveUp(this);
    }

    @Override
    @SuppressWarnings("unchecked") // that is what it answers
    public List<ChildInfo> children() {
        WaitCell answer = new WaitCell();
        Object told = ask("list its children", new SupervisorEvent.Tell(answer), answer);
        return (List<ChildInfo>) Objects.requireNonNull(told);
    }

    private @Nullable Object ask(String what, SupervisorEvent event, WaitCell answer) {
        checkOutside(what);
        Waits.switchpoint();
        post(event);
        Object told = answer.await("supervisor " + path + " to " + what);
        if (told instanceof RuntimeException refusal) {
            throw refusal;
        }
        return told;
    }

    @Override
    protected Cord placement() {
        return rules.isSpread() ? core.nextCord() : cord;
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
    public Object address() {
        return path;
    }

    @Override
    public Cord cord() {
        return cord;
    }

    /** Starts the root of a system as a child of the current fiber. */
    public Fiber<?> startRoot() {
        return cord.spinHandler(name, this);
    }

    /** The same, and waits until its tree is up. */
    public Fiber<?> startRootAndAwait() {
        Start begun = Start.awaited(path);
        start = begun;
        Fiber<?> root = startRoot();
        boolean isUp = false;
        try {
            begun.await(Waits.FOREVER); // each child has its own limit
            isUp = true;
        } finally {
            if (!isUp) {
                stopAll();
            }
        }
        return root;
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

    /**
     * Adds the actors below that have not ended, in start order, and the paths of those that do not
     * answer. From any thread.
     *
     * @param deadlineNs until when all of them may take to answer
     */
    public void addLiving(List<StopReport.Left> left, List<String> silent, long deadlineNs) {
        WaitCell answer = new WaitCell();
        post(new SupervisorEvent.Tell(answer));
        Object told = answer.await("the children of " + path, leftNs(deadlineNs));
        if (!(told instanceof List<?> infos)) {
            silent.add(path);
            return;
        }
        for (Object info : infos) {
            ChildInfo child = (ChildInfo) info;
            if (child.supervisor() instanceof SupervisorCell below) {
                below.addLiving(left, silent, deadlineNs);
            } else if (child.actor() != null && child.state() != ChildInfo.State.STOPPED) {
                addMailbox(child.actor(), left, silent, leftNs(deadlineNs));
            }
        }
    }

    private static void addMailbox(
            ActorRef<?> actor, List<StopReport.Left> left, List<String> silent, long limitNs) {
        MailboxSnapshot mailbox =
                actor.target() instanceof ActorCell<?> cell
                        ? cell.mailbox(limitNs)
                        : actor.mailbox();
        if (mailbox == null) {
            silent.add(actor.path());
        } else {
            left.add(new StopReport.Left(actor, mailbox));
        }
    }

    private static long leftNs(long deadlineNs) {
        return Math.max(0, deadlineNs - Waits.nanoTime());
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
        if (event instanceof SupervisorEvent.Ended ended
                && ended.isStateLeft()
                && ended.fiber() == ended.child().fiber) {
            ended.child().past().isStateLeft = true; // also if no turn comes to this event
        }
        inbox.add(event);
        if (fiber == null) {
            return;
        }
        if (waitNumber == NOT_WAITING) {
            Waits.resumeHandler(fiber, NEXT);
        } else {
            Waits.resume(fiber, waitNumber, NEXT);
            waitNumber = NOT_WAITING;
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
            if (isStateEnd()) {
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
            case SupervisorEvent.Tell(WaitCell answer) -> answer.give(infos());
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
            case SupervisorEvent.Tell(WaitCell answer) -> answer.give(infos());
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
        overByItself = true;
    }

    // ---------------------------------------------------------------- waiting inside the last turn

    /**
     * Waits for an event, and takes from it what may not wait. False if the time has come.
     *
     * @param deadlineNs on the clock of the cord; {@code Long.MAX_VALUE} for none
     */
    private boolean pump(long deadlineNs) {
        SupervisorEvent event = inbox.poll();
        if (event == null) {
            long leftNs = deadlineNs == Long.MAX_VALUE ? deadlineNs : deadlineNs - cord.nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            waitNumber = Waits.nextNumber();
            try {
                Waits.park(this, leftNs);
            } finally {
                waitNumber = NOT_WAITING;
            }
            return !inbox.isEmpty() || deadlineNs > cord.nanoTime();
        }
        if (event instanceof SupervisorEvent.Ended ended) {
            Child child = ended.child();
            if (isOf(ended) && child.state() == Child.State.UP) {
                later.add(ended); // not asked for: its failure is told later
                child.state(Child.State.UP, Child.State.DOWN);
            } else {
                if (isOf(ended)) {
                    overInPump(child, ended);
                }
                ended.failStart();
            }
        } else if (event instanceof SupervisorEvent.Tell(WaitCell answer)) {
            answer.give(infos());
        } else if (event.isAwaited()) {
            event.refused(); // what is being stopped may be waiting for it
        } else {
            later.add(event);
        }
        return true;
    }

    /** It was stopped, or did not come up. */
    private void overInPump(Child child, SupervisorEvent.Ended ended) {
        if (ended.phase() == SupervisorEvent.Phase.STATE_ENDED) {
            afterStateEnd(child);
            return;
        }
        isDown(child, ended);
        child.past().lastReason = ended.reason();
        Departure asked = child.departure();
        if (asked != null) {
            asked.tell(ended.reason());
        }
    }

    /** The incarnation is over, and why is told. */
    private void isDown(Child child, SupervisorEvent.Ended ended) {
        boolean wasAsked = child.state() == Child.State.STOPPING;
        child.state(child.state(), Child.State.DOWN);
        child.stopLimitEnds();
        Throwable failure = Restarts.failure(child.what.address(), ended.reason());
        if (failure != null && !(wasAsked && child.isKilled())) {
            report(child.what.address(), failure);
        }
    }

    /** Posts it when the time is over; null if the time has no end. */
    @Nullable Alarm alarmAfter(Duration limit, SupervisorEvent event) {
        long nanos = Waits.nanos(limit);
        return nanos >= Long.MAX_VALUE / 2 ? null : Alarm.after(nanos, () -> post(event));
    }

    // ---------------------------------------------------------------- starting

    /** The first turn. */
    private void begin() {
        fiber = Fiber.current();
        overByItself = false;
        isEndDue = false;
        order.clear();
        if (isDelayed()) {
            state(State.DOWN, State.DELAYED);
            long delayNs = Objects.requireNonNull(start).delayNs();
            delay = Alarm.after(delayNs, () -> post(new SupervisorEvent.DelayOver()));
        } else {
            startTree();
        }
    }

    private void startTree() {
        state(state, State.STARTING);
        window = new RestartWindow(rules.intensity(), rules.period());
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
                String why = "its supervisor " + path + " was started again";
                forget(child, new ExitReason.Shutdown(why));
            }
        }
        order.add(ofTree, children);
        takeLater();
        goOn();
    }

    private void takeLater() {
        while (!later.isEmpty()) {
            inbox.addFirst(later.removeLast());
        }
    }

    /** What is to come up in order goes on, as far as it gets. */
    private void goOn() {
        if (state == State.DRAINING) {
            dissolve();
        }
        order.go(rules.strategy() == Strategy.ONE_FOR_ALL, rules.startLimit());
        if (state == State.STARTING && order.isOver()) {
            state(State.STARTING, State.RUNNING);
            wasUp = true;
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
            isOver(child, new ExitReason.Shutdown("its supervisor was started again"), true);
        }
    }

    /** A new child of the same spec. */
    Child inPlaceOf(Child stopped) {
        Child anew = childOf(Objects.requireNonNull(stopped.spec));
        takePlace(stopped, anew);
        return anew;
    }

    /** It did not become a child, or is none any more; from any thread. */
    void releaseName(Child child) {
        names.remove(child.what.name(), child.what);
    }

    private void takePlace(Child child, Child anew) {
        children.replace(child, anew);
        names.put(anew.what.name(), anew.what);
        child.state(child.state(), Child.State.GONE);
    }

    /** The start of a member takes longer than its limit. */
    private void tooLate(Start begun) {
        Child child = begun.child;
        if (child == null || !order.isAwaited(begun)) {
            return;
        }
        StartFailedException late = begun.tooLate(rules.startLimit(), null);
        report(child.what.address(), late);
        ExitReason reason = new ExitReason.Failed(late);
        if (state == State.STARTING) {
            rollBack(child, reason);
        }
        order.setAside();
        child.past().isLate = true;
        askToStop(child, false);
        goOn();
    }

    /** A start failed: those that are up end in reverse order. */
    private void rollBack(Child failed, ExitReason reason) {
        stopAllChildren(false);
        failed.past().lastReason = reason;
        throw new StartFailedException(
                path
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
            releaseName(child);
            take.refuse("its supervisor " + path + " is being stopped");
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
            report(child.what.address(), e);
            String why = String.valueOf(e.getMessage());
            child.past().lastReason = new ExitReason.Failed(e);
            if (to == Child.State.STARTING) {
                child.state(to, Child.State.DOWN);
            } else if (child.fiber != null && e instanceof TooManyFibersException) {
                child.state(to, Child.State.DOWN);
                post(new SupervisorEvent.TryAgain(child));
            } else {
                child.past().isToForget |= begun != null && begun.isNew();
                forgetOrKeep(child, new ExitReason.Shutdown(why));
            }
            if (begun != null) {
                begun.failed(why, e);
            }
        }
    }

    // ---------------------------------------------------------------- ends of children

    private static boolean isOf(SupervisorEvent.Ended ended) {
        Child child = ended.child();
        return child.fiber == ended.fiber()
                && (child.isAlive() || child.state() == Child.State.DOWN);
    }

    private void onEnded(SupervisorEvent.Ended ended) {
        Child child = ended.child();
        if (!isOf(ended)) {
            ended.failStart(); // an incarnation from before this supervisor's own restart
            return;
        }
        if (ended.phase() == SupervisorEvent.Phase.STATE_ENDED) {
            afterStateEnd(child);
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
        isDown(child, ended);
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
            forgetOrKeep(
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
                        || (child.what instanceof SupervisorCell below && below.endsForGood)
                : !Restarts.follow(child.restartRule(), reason);
    }

    /** Whether a significant child that is over for good ends this supervisor too. */
    private boolean isEndOfAll() {
        if (!isEndDue || state != State.RUNNING) {
            return false;
        }
        isEndDue = false;
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
            isStopLast = !isStartedAgain();
            endByItself();
        }
        return isEnd;
    }

    /** Whether its own supervisor, which is on this cord, starts it again though nothing failed. */
    private boolean isStartedAgain() {
        return parent != null
                && (self.restartRule() == RestartRule.PERMANENT || parent.order.contains(self));
    }

    /** A child that is down is started again, and others with it, unless that is too often. */
    private void startAgain(Child child, @Nullable Throwable failure) {
        long nowNs = cord.nanoTime();
        if (!window.allow(nowNs)) {
            String text =
                    "supervisor " + path + " gives up on " + child.what.address() + ": " + window;
            if (failure != null) {
                child.past().lastReason = new ExitReason.Failed(failure);
            }
            stopAllChildren(false);
            throw new TooManyRestartsException(text, failure);
        }
        restarts.incrementAndGet();
        Child.Past past = child.past();
        if (past.delays == null) {
            past.delays = new RestartDelays(rules.backOff());
        }
        long delayNs = past.delays.next(nowNs, cord::nextInt);
        boolean isAlone =
                state == State.DRAINING
                        || rules.strategy() == Strategy.ONE_FOR_ONE
                        || rules.strategy() == Strategy.DYNAMIC;
        if (isAlone) {
            startAlone(child, delayNs);
        } else {
            past.delayEndsNs = nowNs + delayNs;
            past.isDelayed = true;
            order.add(children.groupOf(child, rules.strategy()), children);
        }
    }

    private void startAlone(Child child, long delayNs) {
        order.leave(child);
        spin(child, Start.after(delayNs, this, child.what.address()), Child.State.UP);
        child.past().isRestarting = child.isAlive();
        if (child.isDraining()) {
            child.what.drainAgain();
        }
    }

    /** Until its back-off is over; 0 if it is. */
    long delayLeftNs(Child child) {
        return child.isDelayed() ? Math.max(0, child.past().delayEndsNs - cord.nanoTime()) : 0;
    }

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
        if (!isOf(ended)) {
            return false;
        }
        Child child = ended.child();
        child.past().lastReason = ended.reason();
        Throwable failure = Restarts.failure(child.what.address(), ended.reason());
        if (failure != null) {
            report(child.what.address(), failure);
        }
        Start waited = ended.start();
        child.past().isToForget |= waited != null && waited.isNew();
        if (ended.phase() == SupervisorEvent.Phase.FIRST_START) {
            forgetOrKeep(child, ended.reason());
        }
        ended.failStart();
        return true;
    }

    /** What could not be spun. */
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

    // ---------------------------------------------------------------- stopping

    /** Those that this supervisor's next incarnation may start again have not ended for good. */
    private void stopAllChildren(boolean isLast) {
        state(state, State.STOPPING);
        order.clear();
        List<Child> reversed = children.toList().reversed();
        endsForGood = parent == null || (isLast && isStopLast);
        if (endsForGood) {
            reversed.forEach(this::endIfDown);
        }
        if (rules.strategy() == Strategy.DYNAMIC) {
            awaitsEnds = true;
            reversed.forEach(child -> askToStop(child, isLast));
            reversed.forEach(this::awaitEnd);
            awaitsEnds = false;
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
            releaseName(child);
            ExitReason last = child.lastReason();
            child.what.end(last == null ? new ExitReason.Shutdown(SUPERVISOR_ENDED) : last);
        }
    }

    /** One after the other. */
    private void stopInOrder(List<Child> inOrder, boolean isLast) {
        awaitsEnds = true;
        for (Child child : inOrder) {
            askToStop(child, isLast);
            awaitEnd(child);
        }
        awaitsEnds = false;
    }

    /** Of those that have ended, and are not started again. */
    private void endStates() {
        for (Child child : children.toList().reversed()) {
            ExitReason last = child.lastReason();
            endState(child, last == null ? new ExitReason.Shutdown(SUPERVISOR_ENDED) : last);
        }
    }

    /** In the last turn. */
    private void endState(Child child, ExitReason reason) {
        if (child.isStateLeft()) {
            awaitsEnds = true;
            if (beginStateEnd(child, reason)) {
                awaitEnd(child);
            }
            awaitsEnds = false;
        }
    }

    /**
     * What the child's state, which was kept, left to do is done in a fiber of its own, whose end
     * is an event. False if nothing is left.
     */
    private boolean beginStateEnd(Child child, ExitReason reason) {
        if (!child.isStateLeft()) {
            return false;
        }
        child.past().isStateLeft = false;
        try {
            Handler last = child.what.stateEnd(reason);
            child.fiber = child.what.cord().spinHandler(child.what.name(), last);
        } catch (CordClosedException | TooManyFibersException e) {
            LOG.debug("the end hooks of {} run where no fiber does", child.what, e);
            return false; // when it is told of its end
        }
        child.state(child.state(), Child.State.STOPPING);
        stopBegins(child);
        return true;
    }

    /** From now on its stop limit counts. */
    private void stopBegins(Child child) {
        Child.Past past = child.past();
        past.stopBeganNs = cord.nanoTime();
        Fiber<?> running = Objects.requireNonNull(child.fiber, "fiber");
        long limitNs = Waits.nanos(child.stopLimit(rules));
        boolean isByEvent = state != State.STOPPING && limitNs < Long.MAX_VALUE / 2;
        if (isByEvent) {
            child.stopLimitEnds();
            past.stopLimit =
                    alarmAfter(
                            Duration.ofNanos(limitNs + GRACE_NS),
                            new SupervisorEvent.StopLimit(child, running));
        }
    }

    /** It did not end within its limit: it is taken for ended. */
    private void didNotEnd(Child child, Fiber<?> incarnation) {
        if (child.fiber != incarnation || child.state() != Child.State.STOPPING) {
            return;
        }
        boolean isLate = child.isLate();
        giveUpOnEnd(child);
        child.isNotLate();
        Departure leaving = child.departure();
        if (leaving != null && leaving.reason() != null) {
            afterStateEnd(child);
        } else if (leaving != null || child.restartRule() == RestartRule.TEMPORARY) {
            order.leave(child);
            forgetOrKeep(child, new ExitReason.Shutdown("it did not end within its stop limit"));
        } else if (isLate) {
            startAgain(child, null);
        }
        goOn();
    }

    private void giveUpOnEnd(Child child) {
        LOG.warn("{} did not end within {}", child.what, child.stopLimit(rules));
        child.state(Child.State.STOPPING, Child.State.DOWN);
        child.fiber = null; // its end does not count any more
        child.stopLimitEnds();
    }

    void askToStop(Child child, boolean isLast) {
        if (child.state() == Child.State.UP || child.state() == Child.State.STARTING) {
            child.state(child.state(), Child.State.STOPPING);
            Fiber<?> running = Objects.requireNonNull(child.fiber, "fiber");
            if (child.isKilled()) {
                child.what.kill();
            }
            stopBegins(child);
            child.what.stop(running, isLast);
        }
    }

    /** If it was asked to stop. Each has its own limit, also if they stop side by side. */
    private void awaitEnd(Child child) {
        long limitNs = Waits.nanos(child.stopLimit(rules));
        boolean isEndless = limitNs >= Long.MAX_VALUE / 2;
        long deadlineNs =
                isEndless ? Long.MAX_VALUE : child.past().stopBeganNs + limitNs + GRACE_NS;
        while (child.state() == Child.State.STOPPING) {
            if (!pump(deadlineNs)) {
                giveUpOnEnd(child);
            }
        }
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
        end(child, "it did not start", answer);
        goOn();
    }

    /** It ends for itself, and is not started again; that it holds is the answer. */
    private void end(Child child, String why, @Nullable WaitCell answer) {
        Departure leaving = child.departs();
        if (answer != null) {
            leaving.await(answer);
        }
        child.past().isUnwanted = true;
        order.leave(child);
        if (child.state() == Child.State.STOPPING) {
            return; // it is told when it has ended
        }
        if (child.isAlive()) {
            askToStop(child, true);
        } else if (child.state() != Child.State.STOPPED || child.isToForget()) {
            ExitReason last = child.lastReason();
            forgetOrKeep(child, last == null ? new ExitReason.Shutdown(why) : last);
        } else {
            child.hasLeft(new ExitReason.Shutdown(why));
        }
    }

    /** From now on its children end; a group that is to come up does so one by one. */
    private void drainAll() {
        state(State.RUNNING, State.DRAINING);
        goOn();
    }

    /** What is down is started by itself, to come to the end of its mailbox; what is up goes on. */
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
            overByItself = true;
            return false;
        }
        if (!youngest.isDraining()) {
            youngest.past().isDraining = true;
            youngest.what.drain();
        }
        return true;
    }

    /** It is over for good. */
    private void forget(Child child, ExitReason reason) {
        isOver(child, reason, false);
    }

    private void forgetOrKeep(Child child, ExitReason reason) {
        boolean isKept =
                child.spec != null
                        && !child.isToForget()
                        && child.restartRule() != RestartRule.TEMPORARY;
        isOver(child, reason, isKept);
    }

    /** When what its kept state has left to do is done, for which only the last turn waits. */
    private void isOver(Child child, ExitReason reason, boolean isKept) {
        if (!beginStateEnd(child, reason)) {
            leave(child, reason, isKept);
            return;
        }
        child.departs().decide(reason, isKept);
        if (state == State.STOPPING) {
            awaitsEnds = true;
            awaitEnd(child);
            awaitsEnds = false;
        }
    }

    private void afterStateEnd(Child child) {
        child.stopLimitEnds();
        Departure leaving = child.departure();
        ExitReason reason = leaving == null ? null : leaving.reason();
        if (leaving == null || reason == null) {
            child.state(child.state(), Child.State.DOWN); // its supervisor decides on it later
        } else {
            leave(child, reason, leaving.isKept());
        }
    }

    /** Its name is free, or it can be restarted, before anybody hears of it. */
    private void leave(Child child, ExitReason reason, boolean isKept) {
        if (isKept) {
            child.state(child.state(), Child.State.STOPPED);
        } else {
            children.remove(child);
            names.remove(child.what.name(), child.what);
            child.state(child.state(), Child.State.GONE);
        }
        child.what.end(reason);
        Departure leaving = child.departure();
        isEndDue |= leaving != null && leaving.isCounted();
        child.hasLeft(reason);
    }

    // ---------------------------------------------------------------- single children

    /** The child of this name, if it was taken; null if there is none. */
    private @Nullable Child taken(String id) {
        Supervised named = names.get(id);
        if (named == null) {
            return null;
        }
        Child child = named.child();
        return child.state() == Child.State.NEW && !order.contains(child) ? null : child;
    }

    private void stopNamed(String id, WaitCell answer) {
        Child child = taken(id);
        if (child == null) {
            answer.give(unknown(id));
            return;
        }
        end(child, "it was stopped", answer);
        goOn();
    }

    private void restartNamed(String id, Start begun) {
        Child child = taken(id);
        if (child == null) {
            begun.refused(unknown(id));
            return;
        }
        if (child.state() != Child.State.STOPPED) {
            begun.refused(notStopped(child, "restarted"));
            return;
        }
        spin(inPlaceOf(child), begun, Child.State.UP);
    }

    private @Nullable Object removeNamed(String id) {
        Child child = taken(id);
        if (child == null) {
            return unknown(id);
        }
        if (child.state() != Child.State.STOPPED) {
            return notStopped(child, "removed");
        }
        children.remove(child);
        names.remove(id, child.what);
        child.state(Child.State.STOPPED, Child.State.GONE);
        return null;
    }

    private IllegalArgumentException unknown(String id) {
        List<String> names = children.toList().stream().map(child -> child.what.name()).toList();
        return new IllegalArgumentException(
                "supervisor " + path + " has no child " + id + "; its children: " + names);
    }

    private IllegalStateException notStopped(Child child, String what) {
        return new IllegalStateException(
                child
                        + " of "
                        + path
                        + " is not stopped, so it cannot be "
                        + what
                        + "; stop it first");
    }

    private List<ChildInfo> infos() {
        return children.toList().stream().map(Child::info).toList();
    }

    @Override
    public Described describe() {
        SupervisorDump own =
                new SupervisorDump(
                        path,
                        cord.name(),
                        state == State.RUNNING && !order.isOver() ? "REPLACING" : state.name(),
                        restarts.get(),
                        List.of());
        return new Described(own, below());
    }

    @Override
    public SupervisorDump silent() {
        return new SupervisorDump(path, cord.name(), "SILENT", 0, List.of());
    }

    /** Its children, on its cord. */
    List<Supervised> below() {
        return children.toList().stream().map(child -> child.what).toList();
    }

    /** Tells the listener; from any thread. */
    void report(Object actor, Throwable failure) {
        try {
            rules.onFailure().failed(actor.toString(), failure);
        } catch (Throwable broken) {
            // Any failure: the other children need this supervisor. A termination that comes out
            // of a listener that waits is raised again where the supervisor waits.
            Logs.tellBroken(LOG, broken, "the failure listener of {} failed for {}", path, actor);
        }
    }

    // ---------------------------------------------------------------- its own end

    /** Its fiber is ended without a stop: then it ends for good if there is no supervisor above. */
    @Override
    public void endsChildren(Fiber<?> ended) {
        endsForGood |= parent == null || parent.endsForGood;
    }

    /** Nobody above a root decides whether its children go on: they do not. */
    @Override
    public void cleanUp(Fiber<?> ended, @Nullable Throwable failure) {
        if (parent == null && owner == null) {
            core.rootHasEnded(); // before those that await its end hear of it
        }
        if (parent == null && fiber != null) {
            endStates();
        }
    }

    @Override
    public Handler stateEnd(ExitReason reason) {
        stateEnd = reason;
        return this;
    }

    /** This turn is the only one, and does what {@link #stateEnd} is for. */
    private boolean isStateEnd() {
        if (stateEnd == null) {
            return false;
        }
        fiber = Fiber.current();
        state(State.DOWN, State.STOPPING);
        endStates();
        return true;
    }

    @Override
    public boolean onEnd(Fiber<?> ended, @Nullable Throwable failure) {
        boolean began = state != State.DOWN;
        boolean isFirstStart = began && !wasUp && RestartRule.isFailure(failure);
        boolean terminated = failure instanceof FiberTerminatedException;
        ExitReason endedState = stateEnd;
        stateEnd = null;
        fiber = null;
        if (began) {
            state(state, State.DOWN);
        }
        order.clear();
        if (delay != null) {
            delay.cancel();
            delay = null;
        }
        for (Child child : children.toList()) {
            child.hasLeft(new ExitReason.Shutdown(SUPERVISOR_ENDED)); // with this fiber
        }
        Start waited = start;
        start = null;
        ExitReason reason =
                failure == null || (overByItself && terminated)
                        ? new ExitReason.Normal()
                        : terminated
                                ? new ExitReason.Shutdown("it was terminated")
                                : new ExitReason.Failed(failure);
        if (parent == null) {
            end(reason);
            if (owner != null) {
                owner.childrenOver(this, overByItself);
            }
            if (waited != null) {
                waited.failed(String.valueOf(failure), failure);
            }
            return waited != null || isGivenUp; // then its starter, or stopper, has the failure
        }
        parent.post(
                new SupervisorEvent.Ended(
                        self,
                        ended,
                        endedState != null
                                ? SupervisorEvent.Phase.STATE_ENDED
                                : isFirstStart
                                        ? SupervisorEvent.Phase.FIRST_START
                                        : began
                                                ? SupervisorEvent.Phase.RAN
                                                : SupervisorEvent.Phase.NEVER_RAN,
                        endedState != null ? endedState : reason,
                        waited,
                        children.toList().stream().anyMatch(Child::isStateLeft),
                        false));
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
        isGone = true;
        for (Child child : children.toList()) {
            boolean isOver = child.state() == Child.State.STOPPED;
            children.remove(child);
            names.remove(child.what.name(), child.what);
            child.state(child.state(), Child.State.GONE);
            if (!isOver) {
                ExitReason last = child.lastReason();
                child.what.end(
                        last == null || last instanceof ExitReason.Shutdown
                                ? new ExitReason.Shutdown("its supervisor " + path + " has ended")
                                : last);
            }
        }
        takeLater();
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
        isStopLast = false;
        endsForGood = false;
        inbox.removeIf(SupervisorEvent::isOfOneIncarnation);
        later.removeIf(SupervisorEvent::isOfOneIncarnation);
        return this;
    }

    private boolean isDelayed() {
        return start != null && start.delayNs() > 0;
    }

    @Override
    public void stop(Fiber<?> incarnation, boolean isLast) {
        isStopLast =
                isLast && parent != null && (parent.state != State.STOPPING || parent.endsForGood);
        stopAll();
    }

    /** Of a root, which was told to stop and takes too long: it and all below it are abandoned. */
    void giveUp() {
        if (fiber != null) {
            isGivenUp = true;
            Waits.abandon(fiber, "the limit for the end of its system ran out");
        }
    }

    /** It ends, no other incarnation follows, and its children go with it; from any thread. */
    boolean endsForGood() {
        return endsForGood;
    }

    /** What is to come up in order does, or not. */
    void awaitsEnds(boolean now) {
        awaitsEnds = now;
    }

    /** Whether it waits for the end of this actor, or of what is above it; from any thread. */
    boolean awaitsEndOf(ActorCell<?> actor) {
        @Nullable SupervisorCell above = awaitsEnds ? actor.child().supervisor() : null;
        while (above != null && above != this) {
            ActorCell<?> owning = above.owner;
            above = owning == null ? above.parent : owning.child().supervisor();
        }
        return above == this;
    }

    @Override
    public void limitEnd() {
        for (Child child : children.toList()) {
            child.what.limitEnd();
        }
    }

    /** It keeps the limits of its own children. */
    @Override
    public Duration stopLimit(Supervision above) {
        return Waits.FOREVER;
    }

    /** It is over, and is not started again; from any thread. */
    boolean isGone() {
        return isGone;
    }

    @Override
    public boolean isOverByItself() {
        return overByItself || endsForGood;
    }

    /** Where an actor has none of its own. */
    RestartRule restartRuleOfActors() {
        return restartRuleOfActors;
    }

    @Override
    public Child child() {
        return self;
    }

    /** It has no message in hand: it ends its children at once. */
    @Override
    public void kill() {
        Fiber<?> running = fiber;
        if (running != null) {
            running.terminate();
        }
    }

    // ---------------------------------------------------------------- looking

    public Supervision rules() {
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
