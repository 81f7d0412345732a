package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.behavior.Holding;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.internal.context.Contexts;
import dev.ropewalk.actors.internal.observe.DeadLetters;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.supervision.Supervising;
import dev.ropewalk.actors.spi.LinkPeer;
import dev.ropewalk.actors.spi.OpenAsk;
import dev.ropewalk.actors.spi.Room;
import dev.ropewalk.actors.spi.Target;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The caller of an actor: another actor, a fiber below one, or somebody else. */
public final class Caller {
    /**
     * An actor that a router has chosen for a message that leaves later.
     *
     * @param router is named by the dead letter that the message becomes if the actor has ended
     */
    private record ByRouter<M>(ActorCell<M> actor, String router) implements Recipient<M> {
        @Override
        public void tell(M message) {
            actor.tellBy(router, message);
        }

        @Override
        public TellResult tryTell(M message) {
            return actor.tryTellBy(router, message);
        }

        @Override
        public void fail(Throwable failure) {
            actor.fail(failure);
        }

        @Override
        public String toString() {
            return Dropped.nameBy(actor, router);
        }
    }

    private Caller() {}

    /** The actor that calls; null if it is none. */
    static @Nullable Incarnation<?> incarnation() {
        Fiber<?> fiber = Fiber.currentOrNull();
        return fiber != null && Waits.handler(fiber) instanceof Incarnation<?> incarnation
                ? incarnation
                : null;
    }

    public static String name() {
        Fiber<?> fiber = Fiber.currentOrNull();
        return fiber == null ? Thread.currentThread().toString() : fiber.toString();
    }

    /**
     * Whether nobody can take what a call throws: an actor of this cord calls, or its last hooks,
     * or a fiber below them; or the cord itself, as at the limit of an ask.
     */
    public static boolean isInActor() {
        Cord here = Cord.currentOrNull();
        Fiber<?> caller = Fiber.currentOrNull();
        for (Fiber<?> each = caller; each != null && each.cord() == here; each = each.parent()) {
            Handler handler = Waits.handler(each);
            if (handler instanceof Incarnation || handler instanceof EndHooks.LateRun) {
                return true;
            }
        }
        return here != null && caller == null;
    }

    /** The limit of an ask by the caller, if that is an actor. */
    public static long inherited(long limitNanos) {
        return inherited(incarnation(), limitNanos);
    }

    /** The same, of a caller that is known. */
    static long inherited(@Nullable Incarnation<?> caller, long limitNanos) {
        // An actor that handles an ask waits for its own asks no longer than its asker waits.
        return caller == null ? limitNanos : Math.min(limitNanos, caller.askLeftNanos());
    }

    /** The actor that calls waits for the reply of this ask; false if none calls. */
    public static boolean asks(@Nullable OpenAsk ask) {
        Incarnation<?> caller = incarnation();
        if (caller != null) {
            AskCycles.publish(caller.cell(), ask);
            VarHandle.fullFence(); // before a circle is sought, see AskCycles
        }
        return caller != null;
    }

    public static @Nullable OpenAsk openAskOf(Target<?> target) {
        return target instanceof ActorCell<?> actor ? AskCycles.askOf(actor) : null;
    }

    /**
     * Whether the caller is an actor of that path or below it, or a fiber below one; of its own
     * cord: another one cannot be looked at.
     */
    public static boolean isBelow(String path) {
        for (Fiber<?> each = Fiber.currentOrNull(); each != null; each = each.parent()) {
            if (each.cord().isCurrent() && Waits.handler(each) instanceof Incarnation<?> actor) {
                String own = actor.cell().ref().path();
                if (own.startsWith(path)
                        && (own.length() == path.length() || own.charAt(path.length()) == '/')) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether an incarnation of the actor has begun to work; on its cord. */
    public static boolean wasUp(Target<?> target) {
        return target instanceof ActorCell<?> actor && actor.wasUp;
    }

    /** Whether the actor waits for a message, has none, and owes no reply; on its cord. */
    public static boolean isIdle(Target<?> target) {
        if (!(target instanceof ActorCell<?> actor)) {
            return true;
        }
        Incarnation<?> running = actor.running();
        Belongings<?> own = running == null ? null : running.belongingsOrNull();
        return running != null
                && running.isIdle()
                && actor.mailboxNow().size() == 0
                && OpenAsks.openOf(own) == 0;
    }

    /** The actor asks before it begins a message; on its cord. */
    public static void needsPermit(Target<?> target, BooleanSupplier mayBegin) {
        if (target instanceof ActorCell<?> actor) {
            actor.extras().needsPermit(mayBegin);
            actor.needsPermit = true;
        }
    }

    public static @Nullable Room roomOf(Target<?> target) {
        return CellRoom.of(target);
    }

    public static @Nullable LinkPeer linked(Target<?> target, ActorRef<?> other, LinkPeer end) {
        return target instanceof ActorCell<?> actor ? LinkEnd.from(actor, other, end) : null;
    }

    public static AskCycleException circle(String path) {
        return AskCycles.closes(path);
    }

    /** Null if the system carries none. */
    public static @Nullable Contexts contextsOf(ActorSystem system) {
        return system.root() instanceof Supervising root ? root.host().contexts() : null;
    }

    public static @Nullable Object contextHere(ActorSystem system) {
        Contexts contexts = contextsOf(system);
        return contexts == null ? null : contexts.current();
    }

    public static <T> T inContext(Target<?> to, @Nullable Object context, Supplier<T> sending) {
        Contexts contexts = to instanceof ActorCell<?> actor ? actor.core().contexts() : null;
        return contexts == null ? sending.get() : contexts.sendAs(context, sending);
    }

    /** The taps of the actor that calls hear of it. */
    public static void sentTo(Object to, Object message) {
        Incarnation<?> sender = incarnation();
        Extras<?> own = sender == null ? null : sender.cell().extras;
        if (own != null) {
            for (Tap tap : own.taps()) {
                if (tap.hearsSends()) {
                    tap.out(message, to.toString());
                }
            }
        }
    }

    /**
     * Whether an actor calls whose tells are held: then the message is kept, and told when the one
     * in hand has completed. Asked while {@link Taps#onTells}.
     */
    public static <M> boolean holds(Recipient<M> to, M message) {
        Holding own = holding();
        if (own != null) {
            own.keep(to, message);
        }
        return own != null;
    }

    /** The same, by a router; null for none. */
    static <M> boolean holds(ActorCell<M> to, @Nullable String router, M message) {
        return holds(router == null ? to.ref() : new ByRouter<>(to, router), message);
    }

    /** The same, of a failure that is told in place of a message. */
    public static boolean holdsFailure(Recipient<?> to, Throwable failure) {
        Holding own = holding();
        if (own != null) {
            own.keepFailure(to, failure);
        }
        return own != null;
    }

    /** Null if the caller's tells leave at once, as those of a taker of dead letters do. */
    private static @Nullable Holding holding() {
        Incarnation<?> caller = incarnation();
        Belongings<?> own = caller == null ? null : caller.belongingsOrNull();
        Requests<?> asked = own == null ? null : own.requestsOrNull();
        Holding holding = asked == null ? null : asked.holdingOrNull();
        boolean isOn = holding != null && holding.isOn() && !DeadLetters.areTakenHere();
        return isOn ? holding : null;
    }

    /** The caller must be this actor itself. */
    static void checkIs(ActorCell<?> actor, String call) {
        Incarnation<?> caller = incarnation();
        if (caller == null || caller.cell() != actor) {
            throw new IllegalStateException(
                    call
                            + " of "
                            + actor.ref()
                            + " was called by "
                            + name()
                            + "; only the actor's own fiber may call it");
        }
    }
}
