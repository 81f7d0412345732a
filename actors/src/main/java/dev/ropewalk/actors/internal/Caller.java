package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;
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

/** The caller of an actor: another actor, a fiber below one, or somebody else. */
public final class Caller {
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

    public static @Nullable Room roomOf(Target<?> target) {
        return CellRoom.of(target);
    }

    public static @Nullable LinkPeer linked(Target<?> target, ActorRef<?> other, LinkPeer end) {
        return target instanceof ActorCell<?> actor ? LinkEnd.from(actor, other, end) : null;
    }

    public static AskCycleException circle(String path) {
        return AskCycles.closes(path);
    }

    /** The taps of the actor that calls hear of it. */
    public static void sentTo(Object to, Object message) {
        Incarnation<?> sender = incarnation();
        Extras<?> own = sender == null ? null : sender.cell().extras;
        if (own != null) {
            own.taps().forEach(tap -> tap.out(message, to.toString()));
        }
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
