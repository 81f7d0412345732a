package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.Held;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Something that a fiber must give back before it ends, such as a lock. A fiber that ends while it
 * has a hold is reported, and the hold is told, so that no fiber waits for the dead.
 *
 * <p>A hold is in the list of one fiber at most. {@link #hold} and {@link #letGo} are called on the
 * holder's cord. A transferable hold, such as a ticket or a loan, may be given back by others in
 * the holder's stead: {@link #letGoFromAnywhere} ends it, and {@link #isHeld} says whether it is
 * still held when the holder ends. Another fiber that takes it over begins a hold of its own.
 */
public abstract class Hold {
    /** Next in the holder's list; of the holder's cord. */
    private final Node node = new Node(this);

    /** Here and not in the node, so that taking and giving back touch one object. */
    private @Nullable Held nextHeld;

    /** For subclasses. */
    protected Hold() {}

    /**
     * The holder has ended without giving this back; called on its cord, as no fiber, or on any
     * thread if the cord has ended. It must not wait.
     *
     * @param holder the dead fiber
     */
    protected abstract void onHolderDead(Fiber<?> holder);

    /**
     * {@return whether the ended fiber still had to give this back; if not, nothing is reported}
     * Asked on its cord, as no fiber. It must not wait.
     */
    protected boolean isHeld() {
        return true;
    }

    /**
     * {@return the objects that others name when they wait until this is given back; by default
     * this itself} For reports of waits, which compare by identity. Asked on the holder's cord, as
     * no fiber. It must not wait.
     */
    protected List<?> awaitedAs() {
        return List.of(this);
    }

    /**
     * {@return the words of the report on the fate of this when its holder is dead} Must not wait.
     */
    protected String afterwards() {
        return "which goes to the next; give it back in a finally block";
    }

    /**
     * Tells the uncaught handler of the fiber's cord. Works from any thread.
     *
     * @param holder the fiber in whose name it failed; it may be dead
     * @param failure the failure without a taker
     */
    protected static final void report(Fiber<?> holder, Throwable failure) {
        FiberImpl.of(holder).cord.reportUncaught(FiberImpl.of(holder), failure);
    }

    /**
     * Notes that the fiber holds this from now on.
     *
     * @param holder a fiber of the current cord
     */
    protected final void hold(Fiber<?> holder) {
        FiberImpl<?> fiber = FiberImpl.of(holder);
        if (fiber.held != null) { // nearly all hold one: a store that is not made costs nothing
            nextHeld = fiber.held;
        }
        fiber.held = node;
    }

    /**
     * Notes that the fiber has given this back; no effect if it does not hold it.
     *
     * @param holder a fiber of the current cord
     */
    protected final void letGo(Fiber<?> holder) {
        FiberImpl<?> fiber = FiberImpl.of(holder);
        if (fiber.held == node) {
            fiber.held = nextHeld;
            if (nextHeld != null) {
                nextHeld = null;
            }
        } else {
            letGoInside(fiber);
        }
    }

    private void letGoInside(FiberImpl<?> holder) {
        for (Held each = holder.held; each != null; each = each.next()) {
            if (each.next() == node) {
                each.next(nextHeld);
                nextHeld = null;
                return;
            }
        }
    }

    /**
     * Like {@link #letGo}, from any thread, for a transferable hold. On another cord than the
     * holder's it takes effect a moment later; until then {@link #isHeld} has to return false.
     *
     * @param holder the fiber that holds this
     */
    protected final void letGoFromAnywhere(Fiber<?> holder) {
        Cord home = holder.cord();
        if (home.isCurrent()) {
            letGo(holder);
        } else {
            home.post(new LetGo(this, holder));
        }
    }

    /** On its way to the holder's cord. */
    private static final class LetGo extends CordMessage {
        private final Hold hold;
        private final Fiber<?> holder;

        LetGo(Hold hold, Fiber<?> holder) {
            this.hold = hold;
            this.holder = holder;
        }

        @Override
        public void onCord() {
            hold.letGo(holder);
        }

        @Override
        public void onClosed() {
            // The fiber has ended with its cord, and its list with it.
        }
    }

    /** Its place in the list of its holder. */
    private static final class Node implements Held {
        private final Hold hold;

        Node(Hold hold) {
            this.hold = hold;
        }

        @Override
        public @Nullable Held next() {
            return hold.nextHeld;
        }

        @Override
        public void next(@Nullable Held other) {
            hold.nextHeld = other;
        }

        @Override
        public boolean isHeld() {
            return hold.isHeld();
        }

        @Override
        public List<?> awaitedAs() {
            return hold.awaitedAs();
        }

        @Override
        public void holderDied(FiberImpl<?> dead) {
            if (hold.isHeld()) {
                dead.cord.reportUncaught(
                        dead,
                        new IllegalStateException(
                                dead + " ended while it held " + hold + ", " + hold.afterwards()));
                hold.onHolderDead(dead);
            }
        }

        @Override
        public String toString() {
            return hold.toString();
        }
    }
}
