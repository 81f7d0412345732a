package dev.ropewalk.actors;

import dev.ropewalk.actors.internal.SupervisorCell;
import dev.ropewalk.actors.internal.SystemCore;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A tree of actors below one root supervisor, which is a child of the fiber that started the
 * system.
 *
 * <p>When the root supervisor gives up, that fiber's body is cancelled and fails; when the fiber
 * ends first, all actors end with it.
 */
public final class ActorSystem implements AutoCloseable {
    /** Each child has its own limit. */
    private static final Duration WITHOUT_LIMIT = Waits.FOREVER;

    private final String name;
    private final SystemCore core;
    private final SupervisorCell root;
    private final Fiber<?> rootFiber;

    private ActorSystem(Tree tree, @Nullable Consumer<? super DeadLetter> deadLetters) {
        this.name = tree.id();
        this.core = new SystemCore(deadLetters);
        this.root = new SupervisorCell(tree, Cord.current(), core);
        this.rootFiber = root.startRootAndAwait();
    }

    private ActorSystem(
            String name, Supervision rules, @Nullable Consumer<? super DeadLetter> deadLetters) {
        this.name = name;
        this.core = new SystemCore(deadLetters);
        this.root = new SupervisorCell(name, Cord.current(), rules, null, core);
        this.rootFiber = root.startRoot();
    }

    /**
     * Starts a system on the current cord, with {@link Supervision#oneForOne} and dead letters
     * logged.
     *
     * @param name the system's and its root supervisor's name
     * @return the system
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static ActorSystem start(String name) {
        return new ActorSystem(name, Supervision.oneForOne(), null);
    }

    /**
     * Starts a system on the current cord.
     *
     * @param name the system's and its root supervisor's name
     * @param rules how the root supervisor works
     * @param deadLetters takes each dead letter, on the thread on which it arises; must not wait
     * @return the system
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static ActorSystem start(
            String name, Supervision rules, Consumer<? super DeadLetter> deadLetters) {
        return new ActorSystem(name, rules, deadLetters);
    }

    /**
     * Starts a system on the current cord whose root is the tree's supervisor, and waits until all
     * of the tree is up. Dead letters are logged. A switchpoint.
     *
     * @param tree the supervisors and actors
     * @return the system
     * @throws IllegalArgumentException if the tree can never work, see {@link Tree#check}
     * @throws StartFailedException if a child did not start; those before it have been stopped in
     *     reverse order
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static ActorSystem start(Tree tree) {
        return new ActorSystem(tree, null);
    }

    /**
     * Starts a system on the current cord whose root is the tree's supervisor, and waits until all
     * of the tree is up. A switchpoint.
     *
     * @param tree the supervisors and actors
     * @param deadLetters takes each dead letter, on the thread on which it arises; must not wait
     * @return the system
     * @throws IllegalArgumentException if the tree can never work, see {@link Tree#check}
     * @throws StartFailedException if a child did not start; those before it have been stopped in
     *     reverse order
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static ActorSystem start(Tree tree, Consumer<? super DeadLetter> deadLetters) {
        return new ActorSystem(tree, deadLetters);
    }

    /**
     * Starts an actor below the root supervisor, on its cord, and does not wait. Messages told to
     * it from now on are kept for it.
     *
     * @param <M> the type of its messages
     * @param actorName the actor's name, which no other child of the root has
     * @param actor how it is made
     * @return its address
     * @throws IllegalArgumentException if another child has the name
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
     * {@return the address of the actor at a path, null if there is none now} From any thread; does
     * not wait. A name is free again before those that monitor the actor hear of its end. The ref
     * of an actor that is started again stays the same.
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
     * @throws IllegalArgumentException if another child has the name
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
     * @throws IllegalArgumentException if another child has the name
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

    /** {@return the root supervisor} */
    public Supervisor root() {
        return root;
    }

    /** {@return how many dead letters there were} */
    public long deadLetterCount() {
        return core.deadLetterCount();
    }

    /**
     * Ends the system with grace: each actor comes to the end of its mailbox, the last started
     * first, and the next begins to end when that one is over; so what an actor tells an older one
     * meanwhile is still handled. No actor is added from now on. What has not ended within the
     * limit is ended as {@link #close} does. A switchpoint.
     *
     * @param limit for all actors together
     * @return the actors that did not end in time
     * @throws IllegalStateException if an actor of the system calls it
     */
    public StopReport stop(Duration limit) {
        Waits.nanos(limit);
        checkOutside("stop");
        root.drain();
        List<StopReport.Left> left = new ArrayList<>();
        if (!rootFiber.awaitEnd(limit)) {
            for (ActorRef<?> actor : root.living()) {
                left.add(new StopReport.Left(actor, actor.mailbox()));
            }
        }
        close();
        return new StopReport(left);
    }

    /**
     * Ends all actors, the last started first, each within its supervisor's stop limit, and waits
     * for it. A switchpoint, and a shielded one: also a fiber that is being terminated or cancelled
     * waits for the end. Closing twice is harmless. Queued messages become dead letters.
     */
    @Override
    public void close() {
        checkOutside("close");
        root.stopAll();
        if (Fiber.currentOrNull() == null) {
            rootFiber.awaitEnd(WITHOUT_LIMIT);
        } else {
            // Closing is clean-up: a closer that is being ended must not leave actors behind.
            CancelScope.shielded(WITHOUT_LIMIT, () -> rootFiber.awaitEnd(WITHOUT_LIMIT));
        }
    }

    private void checkOutside(String what) {
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
