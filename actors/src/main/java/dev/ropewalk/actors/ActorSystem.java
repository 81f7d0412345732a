package dev.ropewalk.actors;

import static java.util.stream.Collectors.joining;

import dev.ropewalk.actors.internal.SystemCore;
import dev.ropewalk.actors.internal.SystemEnd;
import dev.ropewalk.actors.internal.context.Contexts;
import dev.ropewalk.actors.internal.observe.DeadLetters;
import dev.ropewalk.actors.internal.observe.TreeWalk;
import dev.ropewalk.actors.internal.routing.GroupCell;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.observe.SupervisorDump;
import dev.ropewalk.actors.observe.SystemDump;
import dev.ropewalk.actors.observe.SystemSnapshot;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.Pool;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.dump.DumpSections;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * A tree of actors below one root supervisor.
 *
 * <p>A system that a fiber starts is on the fiber's cord, and its root supervisor a child of that
 * fiber: when the root gives up, the fiber's body is cancelled and fails; when the fiber ends
 * first, all actors end with it. A system that a plain thread starts has cords of its own; when its
 * root gives up, that is reported, and {@link #awaitEnd} returns.
 */
public final class ActorSystem implements AutoCloseable {
    private static final Log LOG = Logs.logger(ActorSystem.class);

    /** The shortest time for actors that are ended when the limit of a stop has passed. */
    private static final Duration LEAST_END = Duration.ofSeconds(5);

    /** How long those that did not end may take to say what they have left. */
    private static final long ANSWER_NS = Duration.ofSeconds(1).toNanos();

    /** The systems that are open; guarded by itself. Weak, because one may end without a close. */
    private static final Set<ActorSystem> ALL = Collections.newSetFromMap(new WeakHashMap<>());

    static {
        DumpSections.add("actors", ActorSystem::dumpAll);
    }

    private final String name;
    private final SystemCore core;

    /** Started with the system, and closed with it; empty if it runs on the cord of its starter. */
    private final List<Cord> ownCords;

    private final SupervisorCell root;
    private final Fiber<?> rootFiber;

    /** Runs when the process is told to end; null if it does not care. */
    private volatile @Nullable Thread onTerm;

    /** Run before the actors are ended; each once. */
    private final Queue<Consumer<? super Duration>> beforeStop = new ConcurrentLinkedQueue<>();

    private ActorSystem(Tree tree, ActorSystemOptions options) {
        this.name = tree.id();
        tree.check();
        Cord here = Cord.currentOrNull();
        if (here != null) {
            options.checkIn(here, name);
        }
        List<Cord> given = options.given();
        Contexts contexts = options.contexts();
        this.ownCords =
                here == null && given.isEmpty() ? startCords(options.cords(), contexts) : List.of();
        List<Cord> cords = !given.isEmpty() ? given : here == null ? ownCords : List.of(here);
        if (contexts != null) {
            cords.forEach(each -> contexts.check(each, this));
        }
        this.core = new SystemCore(cords, options.deadLetters(), options.redaction(), contexts);
        this.root = new SupervisorCell(tree, here == null ? cords.getFirst() : here, core);
        boolean isUp = false;
        try {
            core.openContexts();
            this.rootFiber = root.startRootAndAwait();
            isUp = true;
        } finally {
            if (!isUp) {
                core.closeContexts();
                new SystemEnd(stopLimitNs()).endCords(ownCords);
            }
        }
    }

    private static ActorSystem made(Tree tree, ActorSystemOptions options) {
        ActorSystem system = new ActorSystem(tree, options);
        synchronized (ALL) {
            ALL.add(system);
        }
        return system;
    }

    private List<Cord> startCords(int number, @Nullable Contexts contexts) {
        List<Cord> started = new ArrayList<>();
        boolean isDone = false;
        try {
            for (int i = 0; i < number; i++) {
                CordOptions own = CordOptions.named(name + "-" + i);
                started.add(
                        Cord.start(contexts == null ? own : own.withSwitchHooks(contexts.hook())));
            }
            isDone = true;
        } finally {
            if (!isDone) {
                new SystemEnd(ANSWER_NS).endCords(started);
            }
        }
        return List.copyOf(started);
    }

    /**
     * Starts a system without actors on the current cord, or on cords of its own if the caller is a
     * plain thread, with {@link Supervision#oneForOne} and dead letters logged.
     *
     * @param name the system's and its root supervisor's name
     * @return the system
     * @throws IllegalArgumentException if the name is blank or has a {@code /}
     */
    public static ActorSystem start(String name) {
        return start(Tree.oneForOne(name));
    }

    /**
     * Starts a system without actors on the current cord, or on cords of its own if the caller is a
     * plain thread.
     *
     * @param name the system's and its root supervisor's name
     * @param rules how the root supervisor works
     * @param deadLetters takes each dead letter, on the thread on which it arises; must not wait
     * @return the system
     */
    public static ActorSystem start(
            String name, Supervision rules, Consumer<? super DeadLetter> deadLetters) {
        return start(
                Tree.of(name, rules), ActorSystemOptions.defaults().withDeadLetters(deadLetters));
    }

    /**
     * Starts a system whose root is the tree's supervisor, with the default options.
     *
     * @param tree the supervisors and actors
     * @return the system
     * @throws IllegalArgumentException as {@link #start(Tree, ActorSystemOptions)}
     * @throws StartFailedException as {@link #start(Tree, ActorSystemOptions)}
     */
    public static ActorSystem start(Tree tree) {
        return start(tree, ActorSystemOptions.defaults());
    }

    /**
     * Starts a system whose root is the tree's supervisor, with a taker of dead letters.
     *
     * @param tree the supervisors and actors
     * @param deadLetters takes each dead letter, on the thread on which it arises; must not wait
     * @return the system
     * @throws IllegalArgumentException as {@link #start(Tree, ActorSystemOptions)}
     * @throws StartFailedException as {@link #start(Tree, ActorSystemOptions)}
     */
    public static ActorSystem start(Tree tree, Consumer<? super DeadLetter> deadLetters) {
        return start(tree, ActorSystemOptions.defaults().withDeadLetters(deadLetters));
    }

    /**
     * Starts a system whose root is the tree's supervisor, and waits until all of the tree is up. A
     * switchpoint. In a fiber the system is on its cord, and its root supervisor a child of the
     * fiber. From a plain thread, for example {@code main}, it gets cords of its own, which end
     * with it.
     *
     * @param tree the supervisors and actors
     * @param options how the system is made
     * @return the system
     * @throws IllegalArgumentException if the tree can never work, see {@link Tree#check}, or a
     *     fiber asks for cords of the system's own, see {@link ActorSystemOptions#withCords}
     * @throws StartFailedException if a child did not start; those before it have been stopped in
     *     reverse order
     */
    public static ActorSystem start(Tree tree, ActorSystemOptions options) {
        return made(tree, Objects.requireNonNull(options, "options"));
    }

    /** {@return the cords over which actors are spread} */
    public List<Cord> cords() {
        return core.cords();
    }

    /**
     * Starts an actor below the root supervisor, on its cord, and does not wait. Messages told to
     * it from now on are kept for it.
     *
     * @param <M> the type of its messages
     * @param actorName the actor's name, which no other child of the root has
     * @param actor how it is made
     * @return its address
     * @throws IllegalArgumentException if another child has the name, or it is blank or has a
     *     {@code /}
     */
    public <M> ActorRef<M> spin(String actorName, Actor<M> actor) {
        return root.spin(actorName, actor);
    }

    /**
     * Starts an actor without a name of its own below the root supervisor, on its cord, and does
     * not wait. It is not found by {@link #find}.
     *
     * @param <M> the type of its messages
     * @param actor how it is made
     * @return its address
     */
    public <M> ActorRef<M> spin(Actor<M> actor) {
        return root.spin(actor);
    }

    /**
     * {@return the address of the actor at a path, null if no actor is there now} From any thread;
     * does not wait. A name is free again before those that monitor the actor hear of its end. The
     * ref of an actor that is started again stays the same.
     *
     * @param path the names below the root, with a {@code /} between
     */
    public @Nullable ActorRef<?> find(String path) {
        return root.find(Objects.requireNonNull(path, "path"));
    }

    /**
     * Starts an actor below the root supervisor, on its cord, and waits until it is up: its factory
     * has returned, or its body begins. A switchpoint.
     *
     * @param <M> the type of its messages
     * @param actorName the actor's name, which no other child of the root has
     * @param actor how it is made
     * @return its address
     * @throws IllegalArgumentException if another child has the name, or it is blank or has a
     *     {@code /}
     * @throws StartFailedException if it failed, or took longer than {@link
     *     Supervision#startLimit}; it is ended then, and never started again
     */
    public <M> ActorRef<M> start(String actorName, Actor<M> actor) {
        return root.start(actorName, actor);
    }

    /**
     * Starts a supervisor below the root supervisor, on its cord.
     *
     * @param supervisorName its name, which no other child of the root has
     * @param rules how it works
     * @return the supervisor
     * @throws IllegalArgumentException if another child has the name, or it is blank or has a
     *     {@code /}
     */
    public Supervisor supervise(String supervisorName, Supervision rules) {
        return root.supervise(supervisorName, rules);
    }

    /**
     * {@return a supervisor of the system's tree} A switchpoint.
     *
     * @param path the names below the root, with a {@code /} between
     * @throws IllegalArgumentException if there is none
     */
    public Supervisor supervisor(String path) {
        Supervisor found = root;
        for (String id : path.split("/", -1)) {
            found = found.supervisor(id);
        }
        return found;
    }

    // ---------------------------------------------------------------- groups

    /**
     * {@return the group of the name, which is made when it is first asked for} From any thread;
     * does not wait. It lives as long as the system.
     *
     * @param <M> the type of the messages that the members take
     * @param groupName its name
     * @param type the type of the messages that the members take
     * @throws IllegalArgumentException if there is a group of the name with another type, or the
     *     name is blank or has a {@code /}
     */
    public <M> Group<M> group(String groupName, Class<M> type) {
        return core.group(
                Objects.requireNonNull(groupName, "groupName"),
                Objects.requireNonNull(type, "type"));
    }

    /**
     * Starts a pool: a supervisor below the root with so many workers of one kind, one for one,
     * spread over the system's cords. A switchpoint, until all are up.
     *
     * @param <M> the type of the messages
     * @param poolName the supervisor's name, which no other child of the root has
     * @param workers how many, named from 1 on
     * @param worker how each is made
     * @param routing how the pool chooses among them
     * @return the address of the pool: a {@linkplain Routing router}
     * @throws IllegalArgumentException if another child has the name, it is blank or has a {@code
     *     /}, or there is no worker
     * @throws StartFailedException if a worker failed, or took too long; no worker is left then
     */
    public <M> ActorRef<M> pool(String poolName, int workers, Actor<M> worker, Routing<M> routing) {
        Pool<M> pool = Pool.of(poolName, workers, worker);
        root.add(pool.tree());
        return pool(pool, routing);
    }

    /**
     * {@return the address of a router over a pool that stands in this system's tree} A
     * switchpoint. A pool may have several.
     *
     * @param <M> the type of the messages
     * @param pool its {@link Pool#tree} is somewhere in the tree
     * @param routing how the router chooses among the workers
     */
    public <M> ActorRef<M> pool(Pool<M> pool, Routing<M> routing) {
        GroupCell<M> workers = core.pool(pool.tree().id());
        workers.sync();
        return routing.over(workers);
    }

    /** {@return the root supervisor} */
    public Supervisor root() {
        return root;
    }

    // ---------------------------------------------------------------- looking inside

    /**
     * {@return the systems of this process that have not ended, by their names} From any thread.
     */
    public static List<ActorSystem> all() {
        synchronized (ALL) {
            return ALL.stream()
                    .filter(system -> system.rootFiber.state() != FiberState.DEAD)
                    .sorted(Comparator.comparing(ActorSystem::name))
                    .toList();
        }
    }

    /** For the file of a dump; one system after the other shares what is left of the limit. */
    private static String dumpAll(Duration limit) {
        List<ActorSystem> systems = all();
        if (systems.isEmpty()) {
            return "none";
        }
        Duration each = limit.dividedBy(systems.size() + 1L); // one part is for making the text
        return systems.stream()
                .map(system -> system.dump(each).toString())
                .collect(joining("\n\n"));
    }

    /**
     * Like {@link #dump(Duration)}, with a limit of one second.
     *
     * @return the tree of supervisors and actors
     */
    public SystemDump dump() {
        return dump(Duration.ofSeconds(1));
    }

    /**
     * Tells what all supervisors and actors do: their state, mailboxes, restarts, the message in
     * hand, and the reasons of their waits. From any thread; a switchpoint, unless all actors are
     * on this cord. Each cord is asked as often as the tree is deep, and looks at all its actors:
     * the more there are, the longer.
     *
     * @param limit how long to wait at most, for all cords together, and half of it for the first
     *     that does not answer, so that there is time left for the others; those that did not are
     *     told as silent
     * @return the tree
     * @throws IllegalStateException if this thread is another cord, and no fiber runs there now
     */
    public SystemDump dump(Duration limit) {
        SupervisorDump tree = (SupervisorDump) TreeWalk.dump(root, Waits.nanos(limit));
        return new SystemDump(name, deadLetterCount(), tree);
    }

    /**
     * Like {@link #snapshot(Duration)}, with a limit of one second.
     *
     * @return all actors
     */
    public SystemSnapshot snapshot() {
        return snapshot(Duration.ofSeconds(1));
    }

    /**
     * Tells of each actor its state, how many messages wait, and its restarts. It looks at those
     * actors only that have changed since the last snapshot, whoever took that: so a monitor may
     * ask often. The first one looks at all. From any thread; a switchpoint, unless all actors are
     * on this cord.
     *
     * @param limit how long to wait at most, for all cords together
     * @return all actors that have begun, and have not ended for good
     * @throws IllegalStateException if this thread is another cord, and no fiber runs there now
     */
    public SystemSnapshot snapshot(Duration limit) {
        return core.snapshots().take(root, Waits.nanos(limit));
    }

    /**
     * {@return the actor of a number, if a snapshot has seen it; null if none has, or it has ended}
     * Actors without a name of their own are found by it alone.
     *
     * @param number from {@link ActorRef#number}, or from a snapshot
     */
    public @Nullable ActorRef<?> find(long number) {
        return core.snapshots().find(number);
    }

    /** {@return the name of the system and of its root supervisor} */
    public String name() {
        return name;
    }

    /** {@return how many dead letters there were} */
    public long deadLetterCount() {
        return core.deadLetters().count();
    }

    /**
     * {@return how many dead letters there were for one reason}
     *
     * @param reason why they were not processed
     */
    public long deadLetterCount(DeadLetter.Reason reason) {
        return core.deadLetters().count(reason);
    }

    /**
     * {@return how often actors were started again, by the names of the classes that they count as}
     * See {@link dev.ropewalk.actors.observe.ActorGlance#type}.
     */
    public Map<String, Long> restartCounts() {
        return core.restarts();
    }

    /**
     * Reports a dead letter of a target that is no actor of this system: for builders of targets.
     * It is counted, and told or logged, like those of actors. Never throws.
     *
     * @param letter the message, and why it was not processed
     */
    public void report(DeadLetter letter) {
        core.deadLetters()
                .report(Objects.requireNonNull(letter, "letter"), DeadLetters.areTakenHere());
    }

    /**
     * Tells each dead letter from now on. While they have a taker they are not logged.
     *
     * @param taker is told on the thread on which the letter arises; must not wait. A letter that
     *     it causes is logged, and no taker is told of it
     * @return the subscription, to be closed
     */
    public DeadLetterSubscription onDeadLetter(Consumer<? super DeadLetter> taker) {
        return core.deadLetters().subscribe(taker);
    }

    /**
     * Stops the system with grace when the process is told to end, for example by TERM or Ctrl-C,
     * and lets the process go on ending then. The actors that did not end in time are logged.
     *
     * @param limit as of {@link #stop}
     * @return this system
     * @throws IllegalStateException if that was asked for before
     */
    public ActorSystem stopOnTerm(Duration limit) {
        Waits.nanos(limit);
        if (onTerm != null) {
            throw new IllegalStateException(this + " is stopped on TERM already");
        }
        Thread hook = new Thread(() -> stopNow(limit), "stop " + name);
        Runtime.getRuntime().addShutdownHook(hook);
        onTerm = hook;
        return this;
    }

    private void stopNow(Duration limit) {
        onTerm = null; // it cannot be taken out any more
        StopReport report = stop(limit);
        for (StopReport.Left left : report.left()) {
            LOG.warn("{} did not end within {}: {}", left.actor(), limit, left.mailbox());
        }
        for (String path : report.silent()) {
            LOG.warn("{} did not end within {}, and does not answer", path, limit);
        }
        report.stuck().forEach(this::tellStuck);
    }

    private void tellStuck(CordDump cord) {
        LOG.warn(
                "{} has ended without its cord {}: its fiber {} does not give way. The cord ends"
                        + " when it does; it is at{}",
                this,
                cord.cord(),
                cord.running(),
                cord.stack().stream().map(each -> "\n\tat " + each).collect(joining()));
    }

    /**
     * Waits until the root supervisor is over: it was stopped, ended itself with its significant
     * children, or gave up; and then until the queued messages of the actors on the {@linkplain
     * #cords cords of the system} have become dead letters, for a second at most. A switchpoint.
     *
     * @param limit how long to wait at most
     * @return false if the limit passed before the root was over
     * @throws IllegalStateException if an actor of the system calls it
     */
    public boolean awaitEnd(Duration limit) {
        long limitNs = Waits.nanos(limit);
        checkOutside("await the end of");
        long beganNs = Waits.nanoTime();
        boolean isOver = rootFiber.awaitEnd(limit);
        if (isOver) {
            long tookNs = Waits.nanoTime() - beganNs;
            SystemEnd.awaitLetters(cordsFromRoot(), Math.min(limitNs - tookNs, ANSWER_NS));
        }
        return isOver;
    }

    /** The root's cord comes first, because it tells the others. */
    private List<Cord> cordsFromRoot() {
        List<Cord> all = new ArrayList<>(core.cords());
        all.remove(root.cord());
        all.addFirst(root.cord());
        return all;
    }

    /**
     * Ends the system with grace: each actor comes to the end of its mailbox, the last started
     * first, and the next begins to end when that one is over; so messages from an actor to an
     * older one meanwhile are still handled. No actor is added from now on. Actors that have not
     * ended within the limit are ended as {@link #close} does, and abandoned when that takes longer
     * than the limit once more (at least 5 s). An actor with actors of its own goes on until these
     * have come to the end of their mailboxes. A switchpoint; if the caller is ended or interrupted
     * while it waits, the system is closed.
     *
     * @param limit for all actors together
     * @return the actors that did not end in time, and the cords that a fiber kept
     * @throws IllegalStateException if an actor of the system calls it, or code on a cord where no
     *     fiber runs
     * @throws WaitInterruptedException if a plain thread was interrupted; the system is closed then
     */
    public StopReport stop(Duration limit) {
        long limitNs = Waits.nanos(limit);
        checkOutside("stop");
        prepareStop(limit);
        root.drain();
        List<StopReport.Left> left = new ArrayList<>();
        List<String> silent = new ArrayList<>();
        SystemEnd end = new SystemEnd(Math.max(ANSWER_NS, stopLimitNs()));
        long endNs = Math.max(limitNs, LEAST_END.toNanos());
        try {
            if (!rootFiber.awaitEnd(limit)) {
                end = new SystemEnd(ANSWER_NS);
                root.addLiving(left, silent, Waits.nanoTime() + ANSWER_NS);
            }
        } finally {
            root.stopAll();
            finish(end, endNs);
        }
        return new StopReport(left, silent, end.stuck());
    }

    /**
     * Ends all actors, the last started first, each within its supervisor's stop limit, and waits
     * for it. A switchpoint, and a shielded one: also a fiber that is being terminated or cancelled
     * waits for the end, and a plain thread that is interrupted, which is interrupted again
     * afterwards. Closing twice is harmless. Queued messages become dead letters.
     *
     * <p>An actor that keeps its cord for itself cannot be ended: a cord that does not answer for
     * as long as the root's {@linkplain Supervision#stopLimit stop limit} is logged with the stack
     * of that actor, and left to end when the actor gives way.
     *
     * @throws IllegalStateException if an actor of the system calls it, or code on a cord where no
     *     fiber runs
     */
    @Override
    public void close() {
        checkOutside("close");
        prepareStop(Duration.ofNanos(stopLimitNs()));
        root.stopAll(); // first, because the next steps may not find memory before they have ended
        SystemEnd end = new SystemEnd(stopLimitNs());
        finish(end, Long.MAX_VALUE);
        end.stuck().forEach(this::tellStuck);
    }

    /**
     * Runs a task before the actors are ended by {@link #stop} or {@link #close}, on the thread of
     * that call: for what stands before the actors, as a node of a cluster that leaves first. Tasks
     * run in the order in which they were given, each once; a failure of one is logged. They do not
     * run when the system ends by itself.
     *
     * @param task is given how long it may take: the limit of the stop, or the stop limit of the
     *     root supervisor
     */
    public void beforeStop(Consumer<? super Duration> task) {
        beforeStop.add(Objects.requireNonNull(task, "task"));
    }

    /**
     * Takes a task of {@link #beforeStop} out.
     *
     * @param task the same object
     * @return false if it was not there, or has begun
     */
    public boolean removeBeforeStop(Consumer<? super Duration> task) {
        return beforeStop.remove(Objects.requireNonNull(task, "task"));
    }

    private void prepareStop(Duration limit) {
        for (Consumer<? super Duration> each = beforeStop.poll();
                each != null;
                each = beforeStop.poll()) {
            try {
                Consumer<? super Duration> task = each;
                Waits.cleanUp(
                        () -> {
                            task.accept(limit);
                            return true;
                        });
            } catch (Throwable broken) {
                // Any failure: the actors end all the same.
                Logs.tellBroken(LOG, broken, "a task before the stop of {} failed", this);
            }
        }
    }

    private long stopLimitNs() {
        return Waits.nanos(root.rules().stopLimit());
    }

    private void finish(SystemEnd end, long limitNs) {
        end.endActors(root, rootFiber, limitNs);
        core.close();
        synchronized (ALL) {
            ALL.remove(this);
        }
        end.settle(cordsFromRoot());
        end.endCords(ownCords);
        core.deadLetters().end();
        Thread hook = onTerm;
        if (hook != null) {
            onTerm = null;
            forget(hook);
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException isEnding) {
            LOG.debug("the process is ending already", isEnding);
        }
    }

    private void checkOutside(String what) {
        if (Fiber.currentOrNull() == null && Cord.currentOrNull() != null) {
            throw new IllegalStateException(
                    what + " of " + this + " waits, but no fiber runs on " + Cord.current());
        }
        for (Fiber<?> here = Fiber.currentOrNull(); here != null; here = here.parent()) {
            if (here == rootFiber) {
                throw new IllegalStateException(
                        Fiber.current()
                                + " cannot wait for the end of its own "
                                + this
                                + "; "
                                + what
                                + " it from outside");
            }
        }
    }

    @Override
    public String toString() {
        return "actor system " + name;
    }
}
