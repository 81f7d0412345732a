package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.Ending;
import dev.ropewalk.fibers.internal.fiber.Family;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * The fibers of a cord: its root, the foreign children, those that are held until the initialiser
 * is done, and how many there are.
 *
 * <p>Confined to the cord, except where a comment says otherwise.
 */
public final class Roster {
    private final CordImpl cord;
    public final FiberImpl<?> root;
    private final ForeignChildren foreignChildren = new ForeignChildren();

    /**
     * Fibers that others spun before the initialiser was done: children or foreign children that
     * are not in the run queue yet; null once it is done.
     */
    private @Nullable Set<FiberImpl<?>> held;

    private volatile boolean isInitialised;

    /** The cord broke: no fiber here runs any more, whatever its state says. */
    private boolean isBroken;

    /** Fibers that have begun to run, and those of them that have ended. */
    private long started;

    private long ended;

    /** Fibers that were spun here and have not ended, the root among them; read by others too. */
    private int alive;

    /** The limit of {@link #alive} but for the root. */
    private final int maxFibers;

    /** Without a body its root serves until the cord is closed. */
    Roster(CordImpl cord, @Nullable Callable<?> body) {
        this.cord = cord;
        this.maxFibers = cord.options.maxFibers();
        Callable<?> work = body == null ? Roster::serve : body;
        Action initialiser = cord.options.initialiser();
        this.held = initialiser == null ? null : new LinkedHashSet<>();
        this.isInitialised = initialiser == null;
        Callable<?> all = initialiser == null ? work : () -> initialiseAndCall(initialiser, work);
        this.root = new FiberImpl<>(cord, null, "root", all, null);
    }

    /** Once the cord knows this: its root is the first that it has. */
    void enterRoot(boolean isolateChildren) {
        root.enter();
        if (isolateChildren) {
            root.isolateChildren();
        }
    }

    // ---------------------------------------------------------------- the root

    /** The root fiber's body; the initialiser is left out when the root is restarted later. */
    private @Nullable Object initialiseAndCall(Action initialiser, Callable<?> work)
            throws Exception {
        Set<FiberImpl<?>> toStart = held;
        if (toStart != null) {
            initialiser.run();
            held = null;
            isInitialised = true;
            for (FiberImpl<?> fiber : toStart) {
                if (fiber.outcome() == null) { // otherwise it was abandoned meanwhile
                    cord.loop.enqueue(fiber, Handler.START);
                }
            }
        }
        return work.call();
    }

    /** The root fiber of a started cord: waits for the end, while others spin below it. */
    private static @Nullable Object serve() {
        for (; ; ) {
            Waits.park("the cord's end");
        }
    }

    // ---------------------------------------------------------------- how many there are

    public void countEntered() {
        alive++;
    }

    public void countStarted() {
        started++;
    }

    /** A fiber is dead that had been entered, and perhaps started. */
    public void countEnded(boolean hadStarted) {
        alive--;
        if (hadStarted) {
            ended++;
        }
    }

    /** From other threads a hint. */
    public boolean isFull() {
        return alive > maxFibers;
    }

    public TooManyFibersException tooMany(FiberImpl<?> refused) {
        return new TooManyFibersException(cord, alive - 1, refused);
    }

    /** The root among them. From other threads a hint. */
    public int alive() {
        return alive;
    }

    int maxFibers() {
        return maxFibers;
    }

    long started() {
        return started;
    }

    long ended() {
        return ended;
    }

    // ---------------------------------------------------------------- starts

    /** A start message arrived. A parent of this cord has been entered before. */
    public void start(FiberImpl<?> fiber, boolean enterIntoParent) {
        FiberImpl<?> parent = enterIntoParent ? fiber.parentOrNull() : null;
        if (root.isEnding() || root.outcome() != null) {
            Ending.refuseStart(
                    fiber,
                    new CordClosedException(fiber + " was not started: " + cord + " is ending"));
            return;
        }
        if (isFull()) {
            Ending.refuseStart(fiber, tooMany(fiber));
            return;
        }
        if (parent != null && (parent.isEnding() || parent.outcome() != null)) {
            Ending.refuseStart(
                    fiber,
                    new IllegalStateException(
                            fiber + " was not started: its parent, " + parent + ", has ended"));
            return;
        }
        fiber.enter();
        if (parent != null) {
            Family.childList(parent).add(fiber);
        } else {
            addForeignChild(fiber);
        }
        if (held == null) {
            cord.loop.enqueue(fiber, Handler.START);
        } else {
            held.add(fiber);
        }
    }

    /**
     * An unstarted fiber was raised into: its body never runs, so it is held no longer. Once the
     * root is ending, all that are held are refused.
     */
    public void startIfHeld(FiberImpl<?> fiber) {
        if (held != null && !root.isEnding() && held.remove(fiber)) {
            cord.loop.enqueue(fiber, Handler.START);
        }
    }

    /** A task becomes a fiber of this cord. */
    public void enterTask(FiberImpl<?> task) {
        FiberImpl<?> parent = task.parentOrNull();
        if (parent == null) {
            task.setParentOfOwnerless(root);
            Family.childList(root).add(task);
        } else if (parent.cord != cord) {
            foreignChildren.add(task);
        }
        task.enter();
        cord.loop.enqueue(task, Handler.START);
    }

    void refuseHeld() {
        if (held == null) {
            return;
        }
        List<FiberImpl<?>> refused = List.copyOf(held);
        held.clear(); // not null: a restarted root runs the initialiser again
        for (FiberImpl<?> fiber : refused) {
            FiberImpl<?> parent = fiber.parentOrNull();
            if (fiber.outcome() == null) { // otherwise it was abandoned meanwhile
                Ending.refuseStart(
                        fiber,
                        new CordClosedException(
                                fiber + " was not started: " + cord + " has ended"));
            }
            if (parent != null && parent.cord == cord) {
                Family.childEnded(parent, fiber, null); // its failure has been told already
            }
        }
    }

    /** From any thread. */
    public boolean isInitialised() {
        return isInitialised;
    }

    // ---------------------------------------------------------------- foreign children

    public void addForeignChild(FiberImpl<?> child) {
        foreignChildren.add(child);
    }

    public void removeForeignChild(FiberImpl<?> child) {
        foreignChildren.remove(child);
        Family.wakeIfAlone(root);
    }

    public boolean hasForeignChildrenOf(FiberImpl<?> fiber) {
        return fiber == root && !foreignChildren.isEmpty();
    }

    public void terminateForeignChildrenOf(FiberImpl<?> fiber) {
        if (fiber == root) {
            refuseHeld(); // they are below it, and never run
            foreignChildren.copy().forEach(FiberImpl::terminate);
        }
    }

    public void abandonForeignChildrenOf(FiberImpl<?> fiber, String why) {
        if (fiber == root) {
            foreignChildren.copy().forEach(child -> Abandonment.abandonForeignChild(child, why));
        }
    }

    // ---------------------------------------------------------------- when the cord broke

    /** Of all fibers here, because none runs any more; needs no memory. */
    public void dropAllStacks() {
        cord.mount.dropAllStacks();
        root.dropStack();
        Abandonment.dropStacksBelow(root);
        foreignChildren.dropStacks();
    }

    public void loseAll(String why) {
        isBroken = true;
        FiberImpl<?> ran = cord.loop.running;
        cord.loop.running = null;
        if (ran != null) {
            Abandonment.lose(ran, why);
        }
        Abandonment.lose(root, why);
        foreignChildren.copy().forEach(child -> Abandonment.lose(child, why));
    }

    public boolean isBroken() {
        return isBroken;
    }

    // ---------------------------------------------------------------- all of them

    /** Living fibers of this cord that came as tasks of its scheduler. */
    public List<FiberImpl<?>> tasksHere() {
        return fibers().stream()
                .filter(each -> each.taskSlot != null && each.outcome() == null)
                .toList();
    }

    /** All that are below the root, or foreign children, or below those; parents first. */
    public List<FiberImpl<?>> fibers() {
        List<FiberImpl<?>> all = new ArrayList<>(foreignChildren.copy());
        all.add(root);
        for (int i = 0; i < all.size(); i++) {
            FiberImpl<?> child = all.get(i).firstChild();
            for (; child != null; child = child.nextSibling) {
                if (child.cord == cord) {
                    all.add(child);
                }
            }
        }
        return all;
    }

    /** The fibers that are below no other fiber of this cord. */
    public List<FiberImpl<?>> topFibers() {
        List<FiberImpl<?>> tops = new ArrayList<>();
        tops.add(root);
        tops.addAll(foreignChildren.copy());
        return tops;
    }

    void checkInvariants() {
        foreignChildren.checkInvariants();
        root.checkInvariants();
    }
}
