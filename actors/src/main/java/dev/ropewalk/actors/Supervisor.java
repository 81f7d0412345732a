package dev.ropewalk.actors;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartDelays;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.supervision.RestartWindow;
import dev.ropewalk.fibers.supervision.TooManyRestartsException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Starts actors, and starts them again when they fail: one for one, within an intensity, after a
 * back-off.
 *
 * <p>A supervisor is an actor itself. Its children's fibers are children of its fiber, on any
 * cords, so none outlives it. A child keeps its address and its mailbox across restarts. When there
 * are more restarts than its intensity allows it ends its children and fails with a {@link
 * TooManyRestartsException}, and its own supervisor decides; a system's root supervisor fails the
 * fiber that started the system.
 *
 * <p>All methods work from any thread.
 */
public final class Supervisor {
    private static final Logger LOG = Logs.logger(Supervisor.class);

    private final ActorCell<SupervisorMessage> cell;
    private final Supervision rules;

    private final ChildCells children = new ChildCells();

    private RestartWindow window;

    /** Counted on the cord, read from anywhere. */
    private final AtomicLong restarts = new AtomicLong();

    Supervisor(
            String name,
            Cord cord,
            Supervision rules,
            @Nullable Supervisor parent,
            DeadLetters deadLetters) {
        this.rules = rules;
        this.window = new RestartWindow(rules.intensity(), rules.period());
        this.cell =
                new ActorCell<>(
                        name,
                        cord,
                        Actor.handler(_ -> begin()),
                        parent,
                        deadLetters,
                        this::endChildCells);
        cell.setSupervises(this);
    }

    /**
     * Starts an actor on the supervisor's cord. Messages told to it from now on are kept for it.
     *
     * @param <M> the type of its messages
     * @param name the actor's name
     * @param actor how it is made
     * @return its address
     */
    public <M> ActorRef<M> spin(String name, Actor<M> actor) {
        return spin(cell.cord(), name, actor);
    }

    /**
     * Starts an actor on the given cord. Messages told to it from now on are kept for it.
     *
     * @param <M> the type of its messages
     * @param cord where it runs
     * @param name the actor's name
     * @param actor how it is made
     * @return its address
     */
    public <M> ActorRef<M> spin(Cord cord, String name, Actor<M> actor) {
        ActorCell<M> child = new ActorCell<>(name, cord, actor, this, cell.deadLetters(), () -> {});
        cell.tell(new SupervisorMessage.Start(child));
        return child;
    }

    /**
     * Starts a supervisor below this one, on the same cord.
     *
     * @param name its name
     * @param below how it works
     * @return the new supervisor
     */
    public Supervisor supervise(String name, Supervision below) {
        Supervisor child =
                new Supervisor(
                        name,
                        cell.cord(),
                        Objects.requireNonNull(below, "below"),
                        this,
                        cell.deadLetters());
        cell.tell(new SupervisorMessage.Start(child.cell));
        return child;
    }

    /** {@return how often this supervisor has started a child again} */
    public long restarts() {
        return restarts.get();
    }

    /** {@return the supervisor's name} */
    public String name() {
        return cell.name();
    }

    /** Starts the supervisor's fiber as a child of the current fiber. */
    Fiber<?> start() {
        return cell.cord().spinHandler(cell.name(), cell);
    }

    /** Ends the children in reverse order, then the supervisor; does not wait. */
    void stop() {
        cell.tell(new SupervisorMessage.StopAll());
    }

    // ---------------------------------------------------------------- on the cord

    private Behavior<SupervisorMessage> begin() {
        window = new RestartWindow(rules.intensity(), rules.period());
        for (ActorCell<?> child : children.takeAll()) {
            if (isToStartAgain(child)) {
                child.delays = null;
                spinChild(child);
            } else {
                child.endOnCord("its supervisor " + name() + " was started again");
            }
        }
        return this::onMessage;
    }

    private Behavior<SupervisorMessage> onMessage(SupervisorMessage message) {
        return switch (message) {
            case SupervisorMessage.Start start -> {
                spinChild(start.child());
                yield Behavior.same();
            }
            case SupervisorMessage.Ended ended -> {
                onEnded(ended);
                yield Behavior.same();
            }
            case SupervisorMessage.StopAll _ -> {
                stopChildren();
                yield Behavior.stopped();
            }
        };
    }

    private void spinChild(ActorCell<?> child) {
        try {
            children.put(child, child.cord().spinHandler(child.name(), child));
        } catch (CordClosedException e) {
            children.remove(child);
            child.endOnCord(String.valueOf(e.getMessage()));
        }
    }

    /** Not if it ended by itself just before this supervisor did. */
    private static boolean isToStartAgain(ActorCell<?> child) {
        return switch (child.actor().restart()) {
            case PERMANENT -> true;
            case TRANSIENT -> !child.isOverByItself();
            case TEMPORARY -> false;
        };
    }

    /** From a child's cord. */
    void childEnded(
            ActorCell<?> child, Fiber<?> fiber, boolean started, @Nullable Throwable failure) {
        cell.tell(new SupervisorMessage.Ended(child, fiber, started, failure));
    }

    private void onEnded(SupervisorMessage.Ended ended) {
        ActorCell<?> child = ended.child();
        Throwable failure = ended.failure();
        if (child.incarnation != ended.fiber()) {
            return; // an incarnation from before this supervisor's own restart
        }
        if (RestartRule.isFailure(failure)) {
            report(child, Objects.requireNonNull(failure));
        }
        boolean cordHasEnded = !ended.started() && failure instanceof CordClosedException;
        if (cordHasEnded || !child.actor().restart().restartsAfter(failure)) {
            children.remove(child);
            child.endOnCord(failure == null ? "it stopped" : failure.toString());
            return;
        }
        long nowNs = cell.cord().nanoTime();
        if (!window.allow(nowNs)) {
            throw new TooManyRestartsException(
                    "supervisor " + cell.name() + " gives up on " + child.name() + ": " + window,
                    failure);
        }
        restarts.incrementAndGet();
        if (child.delays == null) {
            child.delays = new RestartDelays(rules.backOff());
        }
        child.delays.next(nowNs, cell.cord()::nextInt);
        spinChild(child);
    }

    private void report(ActorCell<?> child, Throwable failure) {
        try {
            rules.onFailure().failed(child.name(), failure);
        } catch (Throwable broken) {
            // Any failure: the other children need this supervisor. A termination that comes out
            // of a listener that waits is raised again where the supervisor waits.
            String text = "the failure listener of {} failed for {}";
            Logs.tellBroken(LOG, broken, text, name(), child.name());
        }
    }

    private void stopChildren() {
        for (ActorCell<?> child = children.youngest(); child != null; child = child.olderSibling) {
            Fiber<?> fiber = ChildCells.incarnation(child);
            Supervisor below = child.supervises();
            if (below == null || child.isDelayed()) {
                fiber.terminate();
            } else {
                below.stop();
            }
            // A supervisor below keeps the limits of its own children.
            Duration limit = below == null ? rules.stopLimit() : Waits.FOREVER;
            if (!fiber.awaitEnd(limit)) {
                LOG.warn("{} did not end within {}", child, rules.stopLimit());
            }
        }
    }

    void checkInvariants() {
        children.checkInvariants();
    }

    /** The supervisor will not be started again: neither will its children. */
    private void endChildCells() {
        for (ActorCell<?> child : children.takeAll()) {
            child.endOnCord("its supervisor " + name() + " has ended");
        }
    }
}
