package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorBody;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;

/**
 * One life of an actor: its fiber, the message in hand, the asks it took. All of it goes when the
 * fiber ends; what survives is the {@link ActorCell}.
 *
 * <p>Handler style: each turn handles what was queued when it began, up to {@value #MAX_IN_A_TURN},
 * and ends early when the cord is marked, a signal waits, or the behavior stopped (rule A1). With
 * one message a turn, 64 producers would each run between two messages of the actor. Loop style:
 * the body is one long turn.
 *
 * <p>A message is in exactly one place: on its way, in the mailbox, or {@code current}. It is
 * current from the moment it is handed to the waiting fiber, tries counted from the moment the
 * actor sees it; a fiber that ends with a current message it has not seen puts it back.
 *
 * <p>Confined to the actor's cord.
 */
final class Incarnation<M> implements Handler {
    /** Of handler style. Enough that producers do not outrun it, and a few microseconds at most. */
    private static final int MAX_IN_A_TURN = 128;

    /** The resume value of a message: it is in {@code current}. Null is the cheapest to queue. */
    static final @Nullable Object HANDED_OVER = null;

    /** Another turn for the message that the turn before made current. */
    private static final Object NEXT =
            new Object() {
                @Override
                public String toString() {
                    return "next";
                }
            };

    private final ActorCell<M> cell;

    /** How a loop-style body receives; null for handler style. */
    private final @Nullable Receiver<M> receiver;

    /** Until it is up, or did not get there; null if it starts at once and nobody waits for it. */
    private @Nullable Start start;

    private @Nullable Fiber<?> fiber;
    private @Nullable Behavior<M> behavior;
    private @Nullable Object current;

    /** Null until the actor takes a question and does not answer it at once. */
    private @Nullable OpenAsks asks;

    private int tries;

    /** How often the current message was tried before. */
    private int triedBefore;

    Incarnation(ActorCell<M> cell, @Nullable Start start) {
        this.cell = cell;
        this.start = start;
        this.receiver =
                cell.definition().body == null ? null : new Receiver<>(this, cell::mailboxNow);
    }

    // ---------------------------------------------------------------- the sender's side

    /** Gives the message to the fiber if it waits for one: the mailbox is not touched. */
    boolean handOver(Object item) {
        Fiber<?> waiting = Objects.requireNonNull(fiber);
        boolean given =
                receiver == null
                        ? Waits.resumeHandler(waiting, HANDED_OVER)
                        : receiver.resumeWith(item, waiting);
        if (given) {
            current = item;
            triedBefore = 0;
            tries = 0;
        }
        return given;
    }

    /** The message has come into the mailbox. */
    void nudge(Object item) {
        if (receiver != null) {
            receiver.nudge(item, Objects.requireNonNull(fiber));
        }
    }

    void terminate() {
        if (fiber != null) {
            fiber.terminate();
        }
    }

    /** From any thread of the actor's cord: the ask needs no watching any more. */
    void answered(Ask<?, ?> ask) {
        if (asks != null) {
            asks.remove(ask);
        }
    }

    // ---------------------------------------------------------------- turns

    @Override
    public @Nullable Object handle(@Nullable Object value) throws Exception {
        if (value == Handler.START) {
            begin();
            ActorBody<M> body = cell.definition().body;
            if (body != null) {
                receiver().run(body);
                completeCurrent();
                return over();
            }
            return nextTurn();
        }
        for (int left = Math.min(cell.mailboxNow().size(), MAX_IN_A_TURN); ; left--) {
            if (!process()) {
                return over();
            }
            if (!takeNext()) {
                return behavior == BehaviorSigns.<M>stopped() ? over() : Handler.WAIT;
            }
            if (left <= 0 || Waits.isTurnOver()) {
                return NEXT;
            }
        }
    }

    private @Nullable Object nextTurn() {
        if (takeNext()) {
            return NEXT;
        }
        return behavior == BehaviorSigns.<M>stopped() ? over() : Handler.WAIT;
    }

    /** False if there is none, or the behavior wants none. */
    private boolean takeNext() {
        if (behavior == BehaviorSigns.<M>stopped()) {
            return false;
        }
        Object item = cell.mailboxNow().poll();
        if (item == null) {
            cell.idles();
            return false;
        }
        makeCurrent(item);
        return true;
    }

    /** Handles the current message; false if it is the stop. */
    private boolean process() throws Exception {
        Object item = Objects.requireNonNull(current, "current");
        if (item == Stop.STOP) {
            current = null;
            return false;
        }
        tries = triedBefore + 1;
        Behavior<M> now = Objects.requireNonNull(behavior, "behavior");
        Behavior<M> next = now.onMessage(open(item));
        if (next != BehaviorSigns.<M>same()) {
            change(item, next);
        }
        if (item instanceof Ask<?, ?>) {
            completeCurrent();
        } else {
            current = null;
        }
        return true;
    }

    private void change(Object item, @Nullable Behavior<M> next) {
        if (next == null) {
            throw new IllegalStateException(
                    cell.name()
                            + ": the behavior returned null for "
                            + Envelope.content(item)
                            + "; return Behavior.same(), or the next behavior");
        }
        if (next == BehaviorSigns.<M>unhandled()) {
            cell.drop(item, DeadLetter.Reason.UNHANDLED, null);
        } else {
            behavior = next;
        }
    }

    private void begin() throws Exception {
        fiber = Fiber.current();
        cell.begin(this, start == null ? 0 : start.delayNs());
        Definition<M> definition = cell.definition();
        if (definition.factory != null) {
            Behavior<M> kept = definition.keepsState ? cell.committed() : null;
            behavior = kept != null ? kept : first(definition.factory);
        }
        cell.isUp();
        if (start != null) {
            start.done();
            start = null;
        }
    }

    private Behavior<M> first(Function<ActorContext<M>, Behavior<M>> factory) {
        Behavior<M> first = factory.apply(context());
        if (first == null) {
            throw new IllegalStateException(
                    cell.name() + ": the factory returned null; it returns the first behavior");
        }
        if (first == BehaviorSigns.<M>same() || first == BehaviorSigns.<M>unhandled()) {
            throw new IllegalStateException(
                    cell.name()
                            + ": the factory returned Behavior."
                            + first
                            + "(), but there is no behavior yet");
        }
        cell.checkFresh(first);
        return first;
    }

    private Object over() {
        if (behavior == BehaviorSigns.<M>stopped()) {
            behavior = null;
        }
        cell.endsByItself();
        return Handler.END;
    }

    // ---------------------------------------------------------------- the message in hand

    void makeCurrent(Object queued) {
        if (queued instanceof Envelope.PutBack again) {
            current = again.item;
            triedBefore = again.tries;
        } else {
            current = queued;
            triedBefore = 0;
            cell.begun(queued);
        }
        tries = 0;
    }

    /** The actor is done with the message; if that was a question, the answer may come later. */
    void completeCurrent() {
        if (current instanceof Ask<?, ?> ask && ask.isOpen()) {
            if (asks == null) {
                asks = new OpenAsks();
            }
            asks.add(ask);
        }
        current = null;
    }

    /** The loop has taken the current message and begins to work on it. */
    M beginCurrent() {
        tries = triedBefore + 1;
        return open(Objects.requireNonNull(current, "current"));
    }

    boolean isCurrentStop() {
        return current == Stop.STOP;
    }

    /** The message in the envelope. */
    @SuppressWarnings("unchecked") // only M, and what opens as M, are sent
    M open(Object item) {
        return (M) Envelope.open(item);
    }

    // ---------------------------------------------------------------- its end

    @Override
    public boolean onEnd(Fiber<?> ended, @Nullable Throwable failure) {
        Start waited = start;
        start = null;
        settleCurrent(failure);
        if (asks != null && asks.size() > 0) {
            String why = failure == null ? "it stopped" : failure.toString();
            asks.failAll(cell.name() + " has ended: " + why, failure);
        }
        fiber = null;
        cell.over(this, ended, failure, waited);
        return true;
    }

    private void settleCurrent(@Nullable Throwable failure) {
        Object item = current;
        current = null;
        if (item == null || failure == null) {
            return;
        }
        if (tries == 0) {
            cell.putBack(item, triedBefore);
            return;
        }
        switch (cell.definition().failedMessage) {
            case FailedMessage.Drop() -> cell.drop(item, DeadLetter.Reason.FAILED, failure);
            case FailedMessage.Park() -> cell.drop(item, DeadLetter.Reason.PARKED, failure);
            case FailedMessage.Retry(int attempts) when tries >= attempts ->
                    cell.drop(item, DeadLetter.Reason.PARKED, failure);
            case FailedMessage.Retry(int _) -> cell.putBack(item, tries);
        }
    }

    /** What a restart that keeps the state goes on with; null if it begins anew. */
    @Nullable Behavior<M> behavior() {
        return behavior;
    }

    ActorContext<M> context() {
        return new Context<>(cell, this);
    }

    ActorCell<M> cell() {
        return cell;
    }

    int openAsks() {
        return asks == null ? 0 : asks.size();
    }

    /** The actor's way to receive, for the actor itself only. */
    Receiver<M> receiver() {
        Receiver<M> own = receiver;
        if (own == null) {
            throw new IllegalStateException(
                    cell.name()
                            + " is handler style: its messages come to its behavior. Use Actor.loop"
                            + " to receive");
        }
        Fiber<?> here = Fiber.currentOrNull();
        if (here == null || here != fiber) {
            throw new IllegalStateException(
                    "receive of "
                            + cell.name()
                            + " was called by "
                            + ActorCell.callerName()
                            + "; only the actor's own fiber may receive");
        }
        return own;
    }

    /** How often the message in hand has been tried, this time included. */
    int attempt() {
        return tries;
    }

    @Override
    public String toString() {
        return cell.toString();
    }
}
