package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorBody;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.internal.behavior.BehaviorSigns;
import dev.ropewalk.actors.internal.behavior.Repeat;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.internal.behavior.StateBehavior;
import dev.ropewalk.actors.internal.behavior.StateChange;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Placed;
import dev.ropewalk.actors.internal.mailbox.Stop;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.supervision.Start;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * One life of an actor: its fiber, the message in hand, and its {@link Belongings}. All of it goes
 * when the fiber ends; what survives is the {@link ActorCell}.
 *
 * <p>It ends in this order: the turn is over, and the asker of a message that failed hears of it;
 * the fibers and actors below it have ended; its end hooks run, the last made first; its other
 * askers and the actors that it is linked to hear of it; its supervisor decides. From the stop or
 * the crash to the end of the hooks it has one stop limit, and is abandoned then. The hooks that an
 * abandoned one has left are run all the same, but where no fiber runs, so they cannot wait.
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
 * <p>Sources: a process of Erlang with its mailbox, and for handler style the behaviors of Pekko.
 * Not known: whether {@value #MAX_IN_A_TURN} messages a turn suit handlers that take longer than a
 * few microseconds; it was measured with short ones.
 *
 * <p>Confined to the actor's cord.
 */
final class Incarnation<M> implements Handler, StateChange.Host<M> {
    /** Of handler style. Enough that producers do not outrun it, and a few microseconds at most. */
    private static final int MAX_IN_A_TURN = 128;

    /** The resume value of a message: it is in {@code current}. Null is the cheapest to queue. */
    static final @Nullable Object HANDED_OVER = null;

    /** One for all: nearly each end has this reason. */
    private static final ExitReason NORMAL = new ExitReason.Normal();

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

    /** Null until it owns something. */
    private @Nullable Belongings<M> belongings;

    private int tries;

    /** How often the current message was tried before. */
    private int triedBefore;

    Incarnation(ActorCell<M> cell, @Nullable Start start) {
        this.cell = cell;
        this.start = start;
        this.receiver = cell.definition().body == null ? null : new Receiver<>(this);
    }

    // ---------------------------------------------------------------- the sender's side

    /** Its fiber, if it is of handler style. */
    @Nullable Fiber<?> handlerFiber() {
        return receiver == null ? fiber : null;
    }

    /** Its fiber, which waited, has the message. */
    void isHanded(Object message) {
        current = message;
        triedBefore = 0;
        tries = 0;
    }

    /** Gives the message to the fiber if it waits for one: the mailbox is not touched. */
    boolean handOver(Object item) {
        Fiber<?> waiting = fiber;
        if (waiting == null) {
            return false; // it is over, and what hears of that tells it something
        }
        boolean given =
                receiver == null
                        ? Waits.resumeHandler(waiting, HANDED_OVER)
                        : receiver.resumeWith(item, waiting);
        if (given) {
            isHanded(Placed.taken(item));
        }
        return given;
    }

    /** The message has come into the mailbox. */
    void nudge(Object item) {
        if (receiver != null && fiber != null) {
            receiver.nudge(item, fiber);
        }
    }

    /** A message that was passed over is another one now. */
    void renewed(Placed.Renewable message) {
        if (receiver != null && fiber != null) {
            receiver.renewed(message, fiber);
        }
    }

    // ---------------------------------------------------------------- observing

    /** It may take messages again. */
    void resumed() {
        if (fiber == null) {
            return;
        }
        if (receiver != null) {
            receiver.resumed(fiber);
        } else {
            Waits.resumeHandler(fiber, NEXT); // no effect if it is in the middle of a message
        }
    }

    /** By others, now. */
    Seen<M> seen() {
        return new Seen<>(cell, behavior, current, tries);
    }

    /** 0 before it has one. */
    long fiberId() {
        return fiber == null ? 0 : fiber.id();
    }

    /** The reason why its fiber waits; null if it does not wait. */
    @Nullable String waitsNowFor() {
        if (fiber == null) {
            return null;
        }
        String reason = Waits.reason(fiber);
        if (receiver != null && cell.toString().equals(reason)) {
            reason = Handler.NEXT_MESSAGE.toString();
        }
        boolean isForMessage = waitsFor().toString().equals(reason);
        return isForMessage && cell.isSuspended() ? "a resume" : reason;
    }

    /** It waits for a message, or for a resume. */
    boolean isIdle() {
        Object wait = receiver == null ? waitsFor() : cell;
        return fiber != null
                && current == null
                && cell.isUpNow()
                && wait.toString().equals(Waits.reason(fiber));
    }

    // ---------------------------------------------------------------- signals

    /** Its fiber waits in vain. */
    void raise(Throwable failure) {
        Objects.requireNonNull(fiber, "fiber").raise(failure);
    }

    /**
     * Takes over the belongings that the state had before, and links that were made before it
     * began.
     */
    void adopt(@Nullable Belongings<M> kept, List<LinkEnd> links) {
        belongings = kept;
        for (LinkEnd end : links) {
            belongings().links().add(end);
        }
    }

    /** It is to end at its next switchpoint, by a termination. */
    void terminate() {
        Fiber<?> ended = fiber;
        if (ended != null) {
            limitEnd();
            ended.terminate();
        }
    }

    /** The same, for a reason of its own. A kill stands, whatever came before. */
    void endFor(ExitReason reason) {
        Belongings<M> own = belongings();
        if (own.endAsked == null || reason instanceof ExitReason.Killed) {
            own.endAsked = reason;
        }
        terminate();
    }

    /**
     * From now on its stop limit runs, if it does not already. One that waits for a message and
     * owns nothing needs no limit: it ends in its next turn.
     */
    void limitEnd() {
        boolean waitsForTurn = current == null && receiver == null && cell.isUpNow();
        if (!waitsForTurn || belongings != null) {
            beginLimit();
        }
    }

    private void beginLimit() {
        Belongings<M> own = belongings();
        Fiber<?> ended = fiber;
        if (own.stopLimit == null && ended != null) {
            own.stopLimit = StopLimit.beginning(ended, cell.stopLimit());
            if (own.children != null) {
                own.children.limitEnd(); // theirs are shorter, so that this one's hooks may wait
            }
        }
    }

    /**
     * Whether its own actors are to come to the end of their mailboxes first. The actor goes on
     * meanwhile, because they may still tell or ask it something; then the stop comes again.
     */
    boolean isStopPutOff() {
        SupervisorCell below = belongings == null ? null : belongings.children;
        if (below == null) {
            return false;
        }
        below.drain();
        return true;
    }

    /** True if it has none now. */
    boolean childrenOver(SupervisorCell below) {
        if (belongings == null || belongings.children != below) {
            return false;
        }
        belongings.children = null;
        cell.core().removeChildrenOf(cell, below);
        return true;
    }

    /** The other incarnation of a link is over. */
    void exited(LinkEnd end, ExitReason reason) {
        Belongings<M> own = belongings;
        Links links = own == null ? null : own.linksOrNull();
        if (own != null && links != null && links.exited(end, reason, own.trap)) {
            endFor(reason);
        }
    }

    // ---------------------------------------------------------------- turns

    /*
     * A turn in one method, and longer than what C2 inlines (325 bytes of code; TurnSizeTest), so
     * that it begins a frame: of the cord's loop, the turn and the user's code in one frame the
     * innermost calls lie too deep to be inlined, and a message between two actors takes 26 ns in
     * place of 21.
     */
    @Override
    @SuppressWarnings("unchecked") // only M is sent without an envelope
    public @Nullable Object handle(@Nullable Object value) throws Exception {
        try {
            Object item = current;
            if (value == HANDED_OVER
                    && item != null
                    && belongings == null
                    && !(item instanceof Envelope)
                    && cell.isPlainAndEmpty()) { // one plain message, and nothing else waits
                tries = 1;
                Behavior<M> next = Objects.requireNonNull(behavior, "behavior").onMessage((M) item);
                if (next == BehaviorSigns.<M>same() && belongings == null) {
                    current = null;
                    return cell.isPlainAndEmpty() ? Handler.WAIT : nextTurn();
                }
                settle(item, next);
                return nextTurn();
            }
            if (value == Handler.START) {
                if (isOverAfterStart()) {
                    return over();
                }
                if (Waits.isTurnOver()) {
                    return nextTurn(); // it may have been ended meanwhile, which comes first
                }
            }
            if (cell.isSuspended() || (current == null && !takeNext())) {
                return Handler.WAIT; // maybe with a message in hand, to be resumed
            }
            for (int left = Math.min(cell.mailboxNow().size(), MAX_IN_A_TURN); ; left--) {
                item = Objects.requireNonNull(current, "current");
                if (belongings != null
                        || item instanceof Envelope
                        || cell.needsPermit
                        || (Taps.areAny() && cell.extras != null)) {
                    if (!processAny(item)) {
                        return over();
                    }
                } else {
                    tries = triedBefore + 1;
                    Behavior<M> next =
                            Objects.requireNonNull(behavior, "behavior").onMessage((M) item);
                    if (next == BehaviorSigns.<M>same() && belongings == null) {
                        current = null;
                    } else {
                        settle(item, next);
                    }
                }
                if (!takeNext()) {
                    return noneLeft();
                }
                cell.tellSize(); // a turn may take long: a handler waits where it likes
                if (left <= 0 || Waits.isTurnOver()) {
                    return NEXT;
                }
            }
        } catch (Throwable failure) {
            failed(failure);
            throw failure;
        }
    }

    private void failed(Throwable failure) {
        limitEnd();
        Taps.failed(cell.taps(), tries > 0 ? current : null, failure);
        if (!Waits.isSignal(failure)) {
            if (belongings != null) {
                belongings.thrown = failure;
            }
            tellAsker(failure);
        }
    }

    /** Begins; a loop is over then, and a behavior may be. */
    private boolean isOverAfterStart() throws Exception {
        begin();
        ActorBody<M> body = cell.definition().body;
        if (body != null) {
            receiver().run(body);
        }
        return body != null || behavior == BehaviorSigns.<M>stopped();
    }

    private @Nullable Object nextTurn() {
        if (takeNext()) {
            cell.tellSize();
            return NEXT;
        }
        return noneLeft();
    }

    private Object noneLeft() {
        cell.tellSize();
        return behavior == BehaviorSigns.<M>stopped() ? over() : Handler.WAIT;
    }

    /** False if there is none, or the behavior wants none. */
    private boolean takeNext() {
        if (behavior == BehaviorSigns.<M>stopped() || cell.isSuspended()) {
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

    /**
     * Handles the current message, which may be more than a message, or that of an actor that owns
     * something; false if it is the stop.
     */
    private boolean processAny(Object item) throws Exception {
        if (item == Stop.STOP) {
            current = null;
            return isStopPutOff();
        }
        Extras.awaitPermit(cell);
        tries = triedBefore + 1;
        if (belongings != null) {
            belongings.begins(item);
        }
        Behavior<M> now = Objects.requireNonNull(behavior, "behavior");
        if (Taps.areAny()) {
            handleTapped(now, item);
        } else {
            settle(item, now.onMessage(open(item)));
        }
        return true;
    }

    /** The message is handled; the behavior has answered. */
    private void settle(Object item, Behavior<M> next) throws Exception {
        if (next != BehaviorSigns.<M>same() || isAnyAsked()) {
            change(item, next);
        }
        if (item instanceof Envelope) {
            completeCurrent();
        } else {
            current = null;
        }
        if (belongings != null) {
            belongings.completed();
        }
    }

    /** Past those that hear of it; one of them may leave the message out. */
    private void handleTapped(Behavior<M> now, Object item) throws Exception {
        List<Tap> taps = cell.taps();
        M message = open(item);
        boolean isMine = Taps.begin(taps, item, message);
        settle(item, isMine ? Taps.returned(taps, now.onMessage(message)) : BehaviorSigns.same());
        Taps.over(taps, null);
    }

    private boolean isAnyAsked() {
        Requests<M> asked = requestsOrNull();
        return asked != null && asked.isAny();
    }

    private void change(Object item, @Nullable Behavior<M> next) throws Exception {
        if (next == null) {
            throw new IllegalStateException(
                    cell.ref()
                            + ": the behavior returned null for "
                            + Envelope.content(item)
                            + "; return Behavior.same(), or the next behavior");
        }
        Behavior<M> now = Objects.requireNonNull(behavior, "behavior");
        if (next instanceof StateBehavior<M> || now instanceof StateBehavior<M> || isAnyAsked()) {
            StateChange.apply(this, now, next);
        } else if (next == BehaviorSigns.<M>unhandled()) {
            cell.drop(item, DeadLetter.Reason.UNHANDLED, null);
        } else if (next instanceof Repeat<M> repeat) {
            repeat.resolve(cell.ref(), now); // is an error here
        } else {
            behavior = next;
        }
    }

    // ---------------------------------------------------------------- state machines

    @Override
    public Object named() {
        return cell.ref();
    }

    @Override
    public @Nullable Requests<M> requestsOrNull() {
        return belongings == null ? null : belongings.requestsOrNull();
    }

    @Override
    public Requests<M> requests() {
        return belongings().requests();
    }

    @Override
    public void becomes(Behavior<M> next) {
        behavior = next;
    }

    @Override
    public void unhandled() {
        cell.drop(Objects.requireNonNull(current), DeadLetter.Reason.UNHANDLED, null);
    }

    @Override
    public void checkPostponed() {
        Postponing.check(cell, StateBehavior.nameOf(behavior));
    }

    @Override
    public void postponed(int times, boolean isLasting) {
        Object item = Objects.requireNonNull(current);
        current = null; // it is in the mailbox again
        Postponing.postpone(cell, item, times, isLasting);
    }

    @Override
    public void changed() {
        CellTimers<M> timers = belongings == null ? null : belongings.timersOrNull();
        if (timers != null) {
            timers.endOfState();
        }
        Postponing.resume(cell);
    }

    @Override
    public void insert(List<M> messages) {
        Postponing.insert(cell, messages);
    }

    @Override
    public void stateTimeout(Requests.Timeout<M> timeout) {
        belongings().timers().setOfState(timeout);
    }

    @Override
    public void idleTimeout(Requests.Timeout<M> timeout) {
        belongings().timers().setOfIdleness(timeout);
    }

    @Override
    public void completed() {
        completeCurrent();
        belongings().timersCompleted();
    }

    /** The requests that the message in hand, or the entry of a state, may make. */
    Requests<M> requests(String caller) {
        Belongings<M> own = ownedBy(caller);
        if (receiver != null) {
            throw new IllegalStateException(
                    caller
                            + " is for handler style, and "
                            + cell.ref()
                            + " is loop style: receive what it wants, and leave the rest queued");
        }
        Requests<M> asked = own.requests();
        boolean isInMessage = current != null && tries > 0 && own.ended == null;
        if (!isInMessage && !asked.isEntering()) {
            throw new IllegalStateException(
                    caller
                            + " of "
                            + cell.ref()
                            + " was called outside a message; call it where the behavior handles"
                            + " one, or in the entry of a state");
        }
        return asked;
    }

    /** The message in hand comes again later. */
    void postpone() {
        requests("postpone").postpone(cell.ref(), StateBehavior.nameOf(behavior));
    }

    private void begin() throws Exception {
        fiber = Waits.running(cell.cord());
        Definition<M> definition = cell.definition();
        behavior = definition.keepsState ? cell.committed() : null;
        cell.begin(this, start == null ? 0 : start.delayNs());
        if (definition.factory != null && behavior == null) {
            StateChange.begin(this, first(definition.factory));
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
                    cell.ref() + ": the factory returned null; it returns the first behavior");
        }
        boolean isStopped = first == BehaviorSigns.<M>stopped();
        if (!isStopped && BehaviorSigns.isSign(first)) {
            throw new IllegalStateException(
                    cell.ref()
                            + ": the factory returned Behavior."
                            + first
                            + "(), but there is no behavior yet");
        }
        cell.checkFresh(first instanceof StateBehavior<M> state ? state.handler() : first);
        return first;
    }

    /** A loop has taken its stop: it may clean up until its limit is over. */
    void stopTaken() {
        cell.endsByItself();
        beginLimit();
    }

    private Object over() {
        if (behavior == BehaviorSigns.<M>stopped()) {
            behavior = null; // so is its state
        }
        cell.endsByItself();
        if (belongings != null || Waits.hasChildren(Objects.requireNonNull(fiber))) {
            beginLimit();
        }
        return Handler.END;
    }

    // ---------------------------------------------------------------- the message in hand

    void makeCurrent(Object queued) {
        if (queued instanceof Envelope.PutBack again) {
            current = again.item;
            triedBefore = again.tries;
            if (again.postponed > 0) {
                belongings().requests().postponedBefore(again.postponed);
            }
        } else {
            // One question tells the plain message, which nearly all are.
            current = queued instanceof Envelope ? Placed.taken(queued) : queued;
            triedBefore = 0;
            cell.begun(queued);
        }
        tries = 0;
    }

    /** The actor is done with the message; if that was a question, the answer may come later. */
    void completeCurrent() {
        if (current instanceof Ask<?, ?> ask && ask.isOpen()) {
            belongings().asks().add(ask);
        } else if (current instanceof Envelope.Notice<?> notice) {
            notice.source.done();
        }
        current = null;
    }

    /** The loop has taken the current message and begins to work on it. */
    M beginCurrent() {
        tries = triedBefore + 1;
        return open(Objects.requireNonNull(current, "current"));
    }

    /** A tap leaves the current message out; the loop does not see it. */
    boolean isLeftOut() {
        tries = triedBefore + 1;
        Object item = Objects.requireNonNull(current, "current");
        return !Taps.begin(cell.taps(), item, open(item));
    }

    /** The loop fails on the current message before it has it. */
    void beginBroken() {
        tries = triedBefore + 1;
    }

    /** The loop has caught what its predicate threw, and goes on. */
    void dropCurrent(Throwable failure) {
        Object item = current;
        current = null;
        if (item != null) {
            cell.drop(item, DeadLetter.Reason.FAILED, failure);
        }
    }

    /** It was handed to the waiting actor, which may not begin it now. */
    void putBackCurrent() {
        Object item = Objects.requireNonNull(current, "current");
        current = null;
        Postponing.putBack(cell, item, triedBefore);
    }

    /** How long the asker of the message in hand still waits; its end hooks do not work for it. */
    long askLeftNanos() {
        boolean isOver = belongings != null && belongings.ended != null;
        return !isOver && current instanceof Ask<?, ?> ask ? ask.leftNanos() : Long.MAX_VALUE;
    }

    /** The message in hand is one of this source. */
    boolean isInHand(Envelope.Notice.Source source) {
        return current != null
                && Envelope.inside(current) instanceof Envelope.Notice<?> notice
                && notice.source == source;
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
    public Object waitsFor() {
        String state = StateBehavior.nameOf(behavior);
        if (state == null) {
            return Handler.NEXT_MESSAGE;
        }
        int postponed = cell.mailboxNow().postponed();
        return Handler.NEXT_MESSAGE
                + ", in state "
                + Lines.line(state)
                + (postponed == 0 ? "" : ", with " + postponed + " postponed");
    }

    @Override
    public void cleanUp(Fiber<?> ended, @Nullable Throwable failure) {
        Belongings<M> own = belongings;
        if (own == null || !own.hasHooks()) {
            return;
        }
        if (failure != null) {
            tellAsker(failure);
        }
        limitEnd();
        ExitReason reason = reason(failure);
        own.ended = reason;
        if (!keepsState() || CellEnd.isLast(cell, reason, own.endAsked != null)) {
            CellEnd.cleanedUp(cell, own.hooks().runAll(reason), failure);
        }
    }

    /** A next incarnation would go on with it. */
    private boolean keepsState() {
        return cell.definition().keepsState && behavior != null;
    }

    @Override
    public boolean onEnd(Fiber<?> ended, @Nullable Throwable failure) {
        Start waited = start;
        start = null;
        fiber = null;
        ExitReason reason = reason(failure);
        Belongings<M> own = belongings;
        Throwable cause = cause(failure);
        FailureReport report = seen().report(reason);
        settleCurrent(cause);
        belongings = null;
        if (own != null) {
            String why = cause == null ? "it stopped" : Lines.of(cause);
            own.endOfFiber(reason, cell.name() + " has ended: " + why);
            if (own.hasState() && keepsState()) {
                cell.keep(own);
            } else {
                // Work left by an abandoned one is not done in the fiber that happens to run here.
                Waits.asNoFiber(() -> CellEnd.cleanedUp(cell, own.endOfState(reason), cause));
            }
        }
        CellEnd.over(cell, this, ended, reason, report, waited);
        return true;
    }

    /** The failure of its turn, also if the fiber was given up afterwards. */
    private @Nullable Throwable cause(@Nullable Throwable failure) {
        Throwable thrown = belongings == null ? null : belongings.thrown;
        return failure instanceof FiberAbandonedException && thrown != null ? thrown : failure;
    }

    /** Which of the reasons stands, by what ended the fiber and what was asked of it. */
    private ExitReason reason(@Nullable Throwable failure) {
        Belongings<M> own = belongings;
        if (own != null && own.ended != null) {
            return own.ended;
        }
        Throwable cause = cause(failure);
        if (cause != null && cause != failure) {
            return new ExitReason.Failed(cause);
        }
        boolean isEnded =
                failure instanceof FiberTerminatedException
                        || failure instanceof FiberAbandonedException;
        if (failure == null || (isEnded && cell.hasReturned())) {
            return NORMAL;
        }
        if (!isEnded) {
            return new ExitReason.Failed(failure);
        }
        ExitReason asked = own == null ? null : own.endAsked;
        if (asked != null) {
            return asked;
        }
        return failure instanceof FiberTerminatedException || cell.isEndAsked()
                ? new ExitReason.Shutdown("it was terminated")
                : new ExitReason.Failed(failure);
    }

    /** The asker of the message in hand, if that is not tried again, waits for no end hook. */
    private void tellAsker(Throwable failure) {
        if (current instanceof Ask<?, ?> ask && tries > 0 && !isTriedAgain()) {
            Waits.asNoFiber(() -> ask.noReply(Dropped.why(DeadLetter.Reason.FAILED), failure));
        }
    }

    private boolean isTriedAgain() {
        return cell.definition().failedMessage instanceof FailedMessage.Retry(int attempts)
                && tries < attempts;
    }

    private void settleCurrent(@Nullable Throwable failure) {
        Object item = current;
        current = null;
        if (item == null) {
            return;
        }
        if (tries == 0) {
            Postponing.putBack(cell, item, triedBefore);
            return;
        }
        if (failure == null) {
            return;
        }
        if (isTriedAgain()) {
            Postponing.putBack(cell, item, tries);
        } else {
            boolean isDropped = cell.definition().failedMessage instanceof FailedMessage.Drop;
            DeadLetter.Reason why = isDropped ? DeadLetter.Reason.FAILED : DeadLetter.Reason.PARKED;
            cell.drop(item, why, failure);
        }
    }

    /** The behavior that a restart goes on with if it keeps the state; null if it begins anew. */
    @Nullable Behavior<M> behavior() {
        return behavior;
    }

    ActorContext<M> context() {
        return new Context<>(cell, this);
    }

    ActorCell<M> cell() {
        return cell;
    }

    Belongings<M> belongings() {
        Belongings<M> own = belongings;
        if (own == null) {
            own = new Belongings<>(cell);
            belongings = own;
        }
        return own;
    }

    @Nullable Belongings<M> belongingsOrNull() {
        return belongings;
    }

    /** Its belongings, for the actor itself only, and before its end hooks run. */
    Belongings<M> ownedBy(String caller) {
        Fiber<?> here = Fiber.currentOrNull();
        if (here == null || here != fiber) {
            throw new IllegalStateException(
                    caller
                            + " of "
                            + cell.ref()
                            + " was called by "
                            + Caller.name()
                            + "; only the actor's own fiber may call it");
        }
        return belongings();
    }

    /** The actor's way to receive, for the actor itself only. */
    Receiver<M> receiver() {
        Receiver<M> own = receiver;
        if (own == null) {
            throw new IllegalStateException(
                    cell.ref()
                            + " is handler style: its messages come to its behavior. Use Actor.loop"
                            + " to receive");
        }
        Fiber<?> here = Fiber.currentOrNull();
        if (here == null || here != fiber) {
            throw new IllegalStateException(
                    "receive of "
                            + cell.ref()
                            + " was called by "
                            + Caller.name()
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
