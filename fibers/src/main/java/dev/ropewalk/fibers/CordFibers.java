package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/**
 * The fibers of a cord: its root, the foreign children, and those that are held until the
 * initialiser is done.
 *
 * <p>Confined to the cord, but for what says otherwise.
 */
abstract sealed class CordFibers extends CordLoop permits CordLife {
    final Fiber<?> root;
    private final ForeignChildren foreignChildren = new ForeignChildren();

    /**
     * Fibers that others spun before the initialiser was done: children or foreign children that
     * are not in the run queue yet; null once it is done.
     */
    private @Nullable Set<Fiber<?>> held;

    private volatile boolean isInitialised;

    /** Without a body its root serves until the cord is closed. */
    CordFibers(
            CordOptions options,
            Platform platform,
            @Nullable Callable<?> body,
            @Nullable Scheduler scheduler) {
        super(options, platform, scheduler);
        Callable<?> work = body == null ? this::serve : body;
        Action initialiser = options.initialiser();
        this.held = initialiser == null ? null : new LinkedHashSet<>();
        this.isInitialised = initialiser == null;
        Callable<?> all = initialiser == null ? work : () -> initialiseAndCall(initialiser, work);
        this.root = new Fiber<>(self(), null, "root", all, null);
        root.enter();
        if (body == null) {
            root.isolateChildren();
        }
    }

    // ---------------------------------------------------------------- the root

    /** The root fiber's body; the initialiser is left out when the root is restarted later. */
    private @Nullable Object initialiseAndCall(Action initialiser, Callable<?> work)
            throws Exception {
        Set<Fiber<?>> toStart = held;
        if (toStart != null) {
            initialiser.run();
            held = null;
            isInitialised = true;
            for (Fiber<?> fiber : toStart) {
                if (fiber.outcome() == null) { // else it was abandoned meanwhile
                    enqueue(fiber, Handler.START);
                }
            }
        }
        return work.call();
    }

    /** The root fiber of a started cord: waits for the end, while others spin below it. */
    private @Nullable Object serve() {
        for (; ; ) {
            Waits.park("the cord's end");
        }
    }

    @Override
    final Fiber<?> root() {
        return root;
    }

    // ---------------------------------------------------------------- who starts

    /** A start message arrived. A parent of this cord has been entered before. */
    void start(Fiber<?> fiber, boolean enterIntoParent) {
        Fiber<?> parent = enterIntoParent ? fiber.parentOrNull() : null;
        if (root.isEnding() || root.outcome() != null) {
            fiber.refuseStart(
                    new CordClosedException(fiber + " was not started: " + this + " is ending"));
            return;
        }
        if (isFull()) {
            fiber.refuseStart(tooMany(fiber));
            return;
        }
        if (parent != null && (parent.isEnding() || parent.outcome() != null)) {
            fiber.refuseStart(
                    new IllegalStateException(
                            fiber + " was not started: its parent, " + parent + ", has ended"));
            return;
        }
        fiber.enter();
        if (parent != null) {
            parent.childList().add(fiber);
        } else {
            addForeignChild(fiber);
        }
        if (held == null) {
            enqueue(fiber, Handler.START);
        } else {
            held.add(fiber);
        }
    }

    /**
     * An unstarted fiber was raised into: its body never runs, so it is held no longer. Once the
     * root is ending, all that are held are refused.
     */
    void startIfHeld(Fiber<?> fiber) {
        if (held != null && !root.isEnding() && held.remove(fiber)) {
            enqueue(fiber, Handler.START);
        }
    }

    /** A task becomes a fiber of this cord. */
    final void enterTask(Fiber<?> task) {
        Fiber<?> parent = task.parentOrNull();
        if (parent == null) {
            task.setParentOfOwnerless(root);
            root.childList().add(task);
        } else if (parent.cord != this) {
            foreignChildren.add(task);
        }
        task.enter();
        enqueue(task, Handler.START);
    }

    final void refuseHeld() {
        if (held == null) {
            return;
        }
        List<Fiber<?>> refused = List.copyOf(held);
        held.clear(); // not null: a restarted root runs the initialiser again
        for (Fiber<?> fiber : refused) {
            Fiber<?> parent = fiber.parentOrNull();
            if (fiber.outcome() == null) { // else it was abandoned meanwhile
                fiber.refuseStart(
                        new CordClosedException(
                                fiber + " was not started: " + this + " has ended"));
            }
            if (parent != null && parent.cord == this) {
                parent.childEnded(fiber, null); // what it failed with is told already
            }
        }
    }

    /** From any thread. */
    boolean isInitialised() {
        return isInitialised;
    }

    // ---------------------------------------------------------------- foreign children

    void addForeignChild(Fiber<?> child) {
        foreignChildren.add(child);
    }

    void removeForeignChild(Fiber<?> child) {
        foreignChildren.remove(child);
        root.wakeIfAlone();
    }

    boolean hasForeignChildrenOf(Fiber<?> fiber) {
        return fiber == root && !foreignChildren.isEmpty();
    }

    void terminateForeignChildrenOf(Fiber<?> fiber) {
        if (fiber == root) {
            refuseHeld(); // they are below it, and never run
            foreignChildren.copy().forEach(Fiber::terminate);
        }
    }

    void abandonForeignChildrenOf(Fiber<?> fiber, String why) {
        if (fiber == root) {
            foreignChildren.copy().forEach(child -> child.abandonForeignChild(why));
        }
    }

    /** Of all fibers here, because none runs any more; needs no memory. */
    final void dropAllStacks() {
        root.dropStack();
        root.dropStacksBelow();
        foreignChildren.dropStacks();
    }

    final void loseAll(String why) {
        isBroken = true;
        Fiber<?> ran = running;
        running = null;
        if (ran != null) {
            ran.lose(why);
        }
        root.lose(why);
        foreignChildren.copy().forEach(child -> child.lose(why));
    }

    // ---------------------------------------------------------------- all of them

    /** Living fibers of this cord that came as tasks of its scheduler. */
    List<Fiber<?>> tasksHere() {
        return fibers().stream()
                .filter(each -> each.taskSlot != null && each.outcome() == null)
                .toList();
    }

    /**
     * All of this cord that are below its root, or foreign children, or below those; parents first.
     */
    List<Fiber<?>> fibers() {
        List<Fiber<?>> all = new ArrayList<>(foreignChildren.copy());
        all.add(root);
        for (int i = 0; i < all.size(); i++) {
            Fiber<?> child = all.get(i).firstChild();
            for (; child != null; child = child.nextSibling) {
                if (child.cord == this) {
                    all.add(child);
                }
            }
        }
        return all;
    }

    /** Those that are below no other fiber of this cord. */
    List<Fiber<?>> topFibers() {
        List<Fiber<?>> tops = new ArrayList<>();
        tops.add(root);
        tops.addAll(foreignChildren.copy());
        return tops;
    }

    final void checkFibers() {
        checkLoop();
        foreignChildren.checkInvariants();
        root.checkInvariants();
    }
}
