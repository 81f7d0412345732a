package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.internal.observe.Described;
import dev.ropewalk.actors.internal.observe.ObservedSupervisor;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.actors.observe.SupervisorDump;
import dev.ropewalk.actors.supervision.ActorSpec;
import dev.ropewalk.actors.supervision.ChildInfo;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The part of a supervisor that survives its restarts: its name, children and inbox, and what
 * programs call. The part that goes with a fiber is its {@link SupervisorLife}; between two of
 * them, and after the last one, there is none.
 *
 * <p>Everything but the final fields is confined to the supervisor's cord, where nothing else is
 * said.
 */
public final class SupervisorCell extends Supervisor
        implements Supervised, Supervising, ObservedSupervisor {
    private static final Log LOG = Logs.logger(Supervisor.class);

    /** So that not each actor takes an atomic instruction. */
    private static final int NUMBERS_AT_ONCE = 16;

    private final String path;
    private final String name;
    private final Cord cord;
    private final Supervision rules;
    private final SupervisorHost host;

    /** Null for the root of a system. */
    private final @Nullable SupervisorCell parent;

    private final Child self;

    /** Of actors that have none of their own. */
    private final RestartRule restartRuleOfActors;

    private final NamedChildren children;

    private final ArrayDeque<SupervisorEvent> inbox = new ArrayDeque<>();

    /** Counted on the cord, read from anywhere. */
    private final AtomicLong restarts = new AtomicLong();

    /** Of the numbers of actors that it has taken from the system. */
    private long nextNumber;

    private long endOfNumbers;

    /** The actor whose own children it supervises; otherwise null. */
    private @Nullable SupervisedActor<?> owner;

    /** Null unless one runs. */
    private @Nullable SupervisorLife life;

    /** Some life was up: what fails now is no first start. */
    private boolean wasUp;

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
            SupervisorHost host) {
        this(
                name,
                parent == null ? name : parent.path + "/" + name,
                cord,
                rules,
                parent,
                host,
                null,
                RestartRule.TRANSIENT);
    }

    /** The root of a system, with the children of the tree. */
    public SupervisorCell(Tree tree, Cord cord, SupervisorHost host) {
        this(tree.id(), tree.id(), cord, tree.rules(), null, host, tree, RestartRule.TRANSIENT);
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
                parent.host,
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
            SupervisorHost host,
            @Nullable Tree spec,
            RestartRule restartRuleOfActors) {
        this.name = Objects.requireNonNull(name, "name");
        this.path = path;
        this.cord = Objects.requireNonNull(cord, "cord");
        this.rules = Objects.requireNonNull(rules, "rules");
        this.parent = parent;
        this.host = host;
        this.restartRuleOfActors = restartRuleOfActors;
        this.self = new Child(this, parent, spec);
        this.children = new NamedChildren(host, path);
    }

    private void addAll(Tree tree) {
        for (ChildSpec<?> spec : tree.children()) {
            Child child = childOf(spec);
            children.reserve(child.what);
            children.add(child);
        }
    }

    /** {@return the address of the actor at this path, null if there is none} From any thread. */
    public @Nullable ActorRef<?> find(String below) {
        return children.lookUp(below) instanceof SupervisedActor<?> actor ? actor.ref() : null;
    }

    /** A new actor or supervisor, not yet started. */
    Child childOf(ChildSpec<?> spec) {
        return switch (spec) {
            case ActorSpec<?> actor -> childOf(actor);
            case Tree tree -> new SupervisorCell(tree, this).self;
        };
    }

    private Child childOf(ActorSpec<?> spec) {
        Child child = host.actor(spec.id(), placement(), spec.actor(), this, spec).child();
        if (child.isSignificant() && child.restartRule() == RestartRule.PERMANENT) {
            throw new IllegalArgumentException(
                    spec.id()
                            + " is significant, but its actor is permanent, so it never ends for"
                            + " good; give the child another rule by restart(rule)");
        }
        return child;
    }

    /** The supervisor of an actor's own children, started as a child of the actor's fiber. */
    public static SupervisorCell below(SupervisedActor<?> actor) {
        SupervisorCell below =
                new SupervisorCell(
                        actor.name(),
                        actor.ref().path(),
                        actor.cord(),
                        Supervision.oneForOne().stopLimit(belowLimit(actor)),
                        null,
                        actor.child().supervisor().host(),
                        null,
                        RestartRule.TEMPORARY);
        below.owner = actor;
        actor.cord().spinHandler("children of " + actor.name(), below.incarnation(null));
        return below;
    }

    /** Shorter than the actor's own, which so has time left for its end hooks. */
    private static Duration belowLimit(SupervisedActor<?> actor) {
        Duration own = actor.stopLimit();
        return own.compareTo(Waits.FOREVER) >= 0 ? own : own.dividedBy(2);
    }

    // ---------------------------------------------------------------- for programs

    @Override
    public <M> ActorRef<M> spin(Cord where, String actorName, Actor<M> actor) {
        Names.checked("an actor", actorName);
        SupervisedActor<M> child = host.actor(actorName, where, actor, this, null);
        children.reserve(child);
        post(new SupervisorEvent.Take(child.child(), null));
        return child.ref();
    }

    @Override
    public <M> ActorRef<M> spin(Cord where, Actor<M> actor) {
        SupervisedActor<M> child = host.actor(null, where, actor, this, null);
        host.checkOpen(child);
        post(new SupervisorEvent.Take(child.child(), null));
        return child.ref();
    }

    @Override
    public <M> ActorRef<M> start(Cord where, String actorName, Actor<M> actor) {
        Names.checked("an actor", actorName);
        SupervisedActor<M> child = host.actor(actorName, where, actor, this, null);
        checkOutside("start " + actorName);
        children.reserve(child);
        startAndAwait(child.child(), child.ref().path());
        return child.ref();
    }

    @Override
    public void add(ChildSpec<?> spec) {
        checkOutside("add " + spec.id());
        Tree.checkChild(name, rules, spec);
        Child child = childOf(spec);
        children.reserve(child.what);
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
        if (here != null
                && Waits.handler(here) instanceof SupervisorLife own
                && own.cell() == this) {
            throw new IllegalStateException(
                    this + " cannot " + what + " and wait for it in a listener; use spin");
        }
    }

    @Override
    public Supervisor supervise(String supervisorName, Supervision below) {
        Names.checked("a supervisor", supervisorName);
        SupervisorCell child =
                new SupervisorCell(
                        supervisorName, cord, Objects.requireNonNull(below, "below"), this, host);
        children.reserve(child);
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
        return rules.isSpread() ? host.nextCord() : cord;
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
        return cord.spinHandler(name, incarnation(null));
    }

    /** The same, and waits until its tree is up. */
    public Fiber<?> startRootAndAwait() {
        Start begun = Start.awaited(path);
        Fiber<?> root = cord.spinHandler(name, incarnation(begun));
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
                actor.target() instanceof SupervisedActor<?> cell
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

    @Override
    public void post(SupervisorEvent event) {
        if (cord.isCurrent()) {
            accept(event);
        } else {
            cord.post(new Delivery(this, event));
        }
    }

    private void accept(SupervisorEvent event) {
        if (isGone) {
            event.refused();
            return;
        }
        if (event instanceof SupervisorEvent.Ended ended
                && ended.isStateLeft()
                && ended.fiber() == ended.child().fiber) {
            ended.child().past().isStateLeft = true; // also if no turn comes to this event
        }
        if (life != null && inbox.isEmpty()) { // with others it has been woken, or has its turn
            life.wake(); // first: with a full stack it fails, and the next event is to try again
        }
        inbox.add(event);
    }

    // ---------------------------------------------------------------- as a supervisor

    @Override
    public String path() {
        return path;
    }

    @Override
    public SupervisorHost host() {
        return host;
    }

    @Override
    public Supervision rules() {
        return rules;
    }

    @Override
    public int recentRestarts() {
        return life == null ? 0 : life.recentRestarts();
    }

    @Override
    public long nextNumber() {
        if (!cord.isCurrent()) {
            return host.nextNumbers(1);
        }
        if (nextNumber == endOfNumbers) {
            nextNumber = host.nextNumbers(NUMBERS_AT_ONCE);
            endOfNumbers = nextNumber + NUMBERS_AT_ONCE;
        }
        return nextNumber++;
    }

    @Override
    public RestartRule restartRuleOfActors() {
        return restartRuleOfActors;
    }

    @Override
    public void report(FailureReport report) {
        try {
            rules.onFailure().accept(report);
        } catch (Throwable broken) {
            // Any failure: the other children need this supervisor. A termination that comes out
            // of a listener that waits is raised again where the supervisor waits.
            String text = "the failure listener of {} failed for {}";
            Logs.tellBroken(LOG, broken, text, path, report.actor());
        }
    }

    @Override
    public void releaseName(Child child) {
        children.release(child);
    }

    @Override
    public boolean endsForGood() {
        return endsForGood;
    }

    @Override
    public boolean awaitsEndOf(Child child) {
        Supervising above = awaitsEnds ? child.supervisor() : null;
        while (above != null && above != this) {
            above = above.above();
        }
        return above == this;
    }

    @Override
    public @Nullable Supervising above() {
        return owner == null ? parent : owner.child().supervisor();
    }

    // ---------------------------------------------------------------- one life after the other

    /** The first turn. */
    void begins(SupervisorLife next, boolean isIncarnation) {
        life = next;
        overByItself &= !isIncarnation;
    }

    /** The children of its tree are up. */
    void isUp() {
        wasUp = true;
    }

    boolean wasUp() {
        return wasUp;
    }

    void countRestart() {
        restarts.incrementAndGet();
    }

    /** Whether it waits for the end of a child, and starts nothing until then. */
    void awaitsEnds(boolean now) {
        awaitsEnds = now;
    }

    /** It ends because a child did. */
    void endsByItself() {
        isStopLast = !isStartedAgain();
    }

    /** Whether its own supervisor, which is on this cord, starts it again though nothing failed. */
    private boolean isStartedAgain() {
        return parent != null
                && (self.restartRule() == RestartRule.PERMANENT
                        || (parent.life != null && parent.life.hasInHand(self)));
    }

    /** Its fiber is ended without a stop. */
    void isEnded() {
        endsForGood |= parent == null || parent.endsForGood;
    }

    /**
     * Its children are to end: whether no other incarnation follows, as others may know from now.
     */
    boolean isLastLife(boolean isOrderly) {
        endsForGood = parent == null || (isOrderly && isStopLast);
        return endsForGood;
    }

    /** Nobody above it decides whether its children go on. */
    boolean isTop() {
        return parent == null;
    }

    /** The last hooks below it are still to run. */
    void isEnding() {
        if (parent == null && owner == null) {
            host.rootHasEnded();
        }
    }

    /** A life is over; its own supervisor decides. Whether the failure has been told. */
    boolean isOver(SupervisorEvent.Ended ended, @Nullable Throwable failure, boolean isByItself) {
        life = null;
        overByItself |= isByItself;
        if (parent != null) {
            parent.post(ended);
            return true;
        }
        end(ended.reason());
        if (owner != null) {
            owner.childrenOver(this, overByItself);
        }
        Start waited = ended.start();
        if (waited != null) {
            waited.failed(String.valueOf(failure), failure);
        }
        return waited != null || isGivenUp; // then its starter, or stopper, has the failure
    }

    NamedChildren namedChildren() {
        return children;
    }

    ArrayDeque<SupervisorEvent> inbox() {
        return inbox;
    }

    // ---------------------------------------------------------------- as a child

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
        isGone = true;
        for (Child child : children.toList()) {
            boolean isOver = child.state() == Child.State.STOPPED;
            children.remove(child);
            if (!isOver) {
                ExitReason last = child.lastReason();
                child.what.end(
                        last == null || last instanceof ExitReason.Shutdown
                                ? new ExitReason.Shutdown("its supervisor " + path + " has ended")
                                : last);
            }
        }
        for (SupervisorEvent event = inbox.poll(); event != null; event = inbox.poll()) {
            event.refused();
        }
    }

    @Override
    public RestartRule restartRule() {
        return RestartRule.TRANSIENT;
    }

    @Override
    public Handler incarnation(@Nullable Start how) {
        isStopLast = false;
        endsForGood = false;
        inbox.removeIf(SupervisorEvent::isOfOneIncarnation);
        return SupervisorLife.of(this, how);
    }

    @Override
    public Handler stateEnd(ExitReason reason) {
        return SupervisorLife.ofStateEnd(this, reason);
    }

    @Override
    public void stop(Fiber<?> incarnation, boolean isLast) {
        isStopLast = isLast && parent != null && (!parent.isStopping() || parent.endsForGood);
        stopAll();
    }

    /** Of a root, which was told to stop and takes too long: it and all below it are abandoned. */
    public void giveUp() {
        if (life != null) {
            isGivenUp = true;
            Waits.abandon(life.fiber(), "the limit for the end of its system ran out");
        }
    }

    private boolean isStopping() {
        return life != null && life.isStopping();
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

    @Override
    public boolean isGone() {
        return isGone;
    }

    @Override
    public boolean isOverByItself() {
        return overByItself || endsForGood;
    }

    @Override
    public Child child() {
        return self;
    }

    /** It has no message in hand: it ends its children at once. */
    @Override
    public void kill() {
        if (life != null) {
            life.fiber().terminate();
        }
    }

    // ---------------------------------------------------------------- looking

    /** {@return what is below this path, null if there is nothing} From any thread. */
    @Override
    public @Nullable Supervised lookUp(String below) {
        return children.lookUp(below);
    }

    @Override
    public Described describe() {
        String phase = isGone ? "ENDED" : "DOWN";
        SupervisorDump own =
                new SupervisorDump(
                        path,
                        cord.name(),
                        life == null ? phase : life.phase(),
                        restarts.get(),
                        List.of());
        return new Described(own, below());
    }

    @Override
    public SupervisorDump silent() {
        return new SupervisorDump(path, cord.name(), "SILENT", 0, List.of());
    }

    @Override
    public List<Supervised> below() {
        return children.toList().stream().map(child -> child.what).toList();
    }

    /** On the cord. */
    public void checkInvariants() {
        children.checkInvariants();
        if (isGone && (children.size() > 0 || !inbox.isEmpty())) {
            throw new IllegalStateException("ended with children or events: " + this);
        }
        if (life != null) {
            life.checkInvariants();
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
