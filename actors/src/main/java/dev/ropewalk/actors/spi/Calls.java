package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.internal.Adapter;
import dev.ropewalk.actors.internal.Caller;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.routing.BoundReply;
import dev.ropewalk.actors.internal.routing.GaugeLoad;
import dev.ropewalk.actors.internal.routing.Routee;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/** The things that a {@link Target} has to know of the code that calls it. For any thread. */
public final class Calls {
    private Calls() {}

    /** {@return the caller in words, for reports: a fiber, or a thread} */
    public static String callerName() {
        return Caller.name();
    }

    /**
     * {@return the limit of an ask: that of the call, or what the caller's own asker still waits if
     * it is an actor that handles an ask, and that is shorter}
     *
     * @param limitNanos of the call; {@code Long.MAX_VALUE} for none
     */
    public static long inherited(long limitNanos) {
        return Caller.inherited(limitNanos);
    }

    /**
     * {@return whether nobody can take what the call throws for want of room} That is so in an
     * actor, its last hooks, the fibers below them, and where a cord runs no fiber: the message is
     * a dead letter then (rule A8).
     */
    public static boolean isInActor() {
        return Caller.isInActor();
    }

    /**
     * Those that trace the actor which calls hear of what it has sent. Costs little if there are
     * none.
     *
     * @param to the recipient
     * @param message what was sent
     */
    public static void sentTo(Object to, Object message) {
        if (Taps.onTells()) {
            Caller.sentTo(to, message);
        }
    }

    /**
     * {@return whether an actor calls whose tells leave when its message in hand has completed}
     * Then the message is kept, and told to the recipient again at that time: this returns at once,
     * and a {@code tryTell} has accepted it. Costs little if there are no such actors.
     *
     * @param <M> the type of the message
     * @param to is told then; or tried, if the actor is to end and waits no more
     * @param message what is told
     */
    public static <M> boolean holds(Recipient<M> to, M message) {
        return Taps.onTells() && Caller.holds(to, message);
    }

    /**
     * {@return the same, of a failure}
     *
     * @param to is told that it failed then
     * @param failure what is told in place of a message
     */
    public static boolean holdsFailure(Recipient<?> to, Throwable failure) {
        return Taps.onTells() && Caller.holdsFailure(to, failure);
    }

    /**
     * {@return the context of the caller, to be given to {@link #inContext} by another thread that
     * passes the caller's message on; null if it has none, or the system carries none} Costs little
     * where no system carries them.
     *
     * @param system of the recipient
     */
    public static @Nullable Object contextHere(ActorSystem system) {
        return Taps.onTells() ? Caller.contextHere(system) : null;
    }

    /**
     * Passes on a message of another sender: it has the context of that sender, and none of the
     * caller. Costs little where no system carries contexts.
     *
     * @param <T> the type of the result
     * @param to the actor that gets it
     * @param context from {@link #contextHere} of the sender; null if it has none
     * @param sending tells or asks, and nothing else; must not wait
     * @return what that returns
     */
    public static <T> T inContext(ActorRef<?> to, @Nullable Object context, Supplier<T> sending) {
        return Taps.onTells() ? Caller.inContext(to.target(), context, sending) : sending.get();
    }

    /**
     * {@return whether the caller is an actor of that path or below it, or a fiber below one}
     *
     * @param path of an actor or a supervisor
     */
    public static boolean isBelow(String path) {
        return Caller.isBelow(path);
    }

    /**
     * Publishes that the calling actor waits for a reply, before it looks for a circle.
     *
     * @param ask its ask; null when it waits no more
     * @return false if the caller is no actor: others never wait for it
     */
    public static boolean asks(@Nullable OpenAsk ask) {
        return Caller.asks(ask);
    }

    /**
     * {@return the ask whose reply an actor waits for; null for none, and if it is no actor of this
     * process}
     *
     * @param target of the actor
     */
    public static @Nullable OpenAsk openAskOf(Target<?> target) {
        return Caller.openAskOf(target);
    }

    /**
     * {@return the exception for {@link OpenAsk#fails}}
     *
     * @param path the actors of the circle in words, the first one also as the last
     */
    public static AskCycleException circle(String path) {
        return Caller.circle(path);
    }

    /**
     * {@return the room in the mailbox of an actor of this process; null if its senders neither
     * wait for room nor are refused without it}
     *
     * @param target of the actor
     */
    public static @Nullable Room roomOf(Target<?> target) {
        return Caller.roomOf(target);
    }

    /**
     * An actor of another process links to one of this process.
     *
     * @param target of the actor of this process
     * @param other the actor of the other process
     * @param end of the link at the other actor
     * @return the end at the actor of this process; null if the target is no actor of it
     */
    public static @Nullable LinkPeer linked(Target<?> target, ActorRef<?> other, LinkPeer end) {
        return Caller.linked(target, other, end);
    }

    /**
     * {@return how many messages an actor of this process has, for one sender that says what it has
     * told; null if it is none}
     *
     * @param target of the actor
     */
    public static @Nullable Load loadOf(Target<?> target) {
        return target instanceof Routee<?> actor ? GaugeLoad.of(actor) : null;
    }

    /**
     * {@return the ask behind a reply address that a router has made, because it looks at a
     * question before it chooses; otherwise the recipient itself}
     *
     * @param recipient any
     */
    public static @Nullable Recipient<?> askBehind(Recipient<?> recipient) {
        return BoundReply.ask(recipient);
    }

    /**
     * {@return the actor that an adapter makes messages for; null if the recipient is no adapter}
     *
     * @param recipient any
     * @see dev.ropewalk.actors.ActorContext#adapt
     */
    public static @Nullable ActorRef<?> ownerOf(Recipient<?> recipient) {
        return recipient instanceof Adapter<?> adapter ? adapter.owner() : null;
    }
}
