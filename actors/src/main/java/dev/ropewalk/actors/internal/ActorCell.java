package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.FifoMailbox;
import dev.ropewalk.actors.internal.mailbox.Mailbox;
import dev.ropewalk.actors.internal.mailbox.Placed;
import dev.ropewalk.actors.internal.mailbox.Stop;
import dev.ropewalk.actors.internal.observe.ActorEvents;
import dev.ropewalk.actors.internal.observe.DeadLetters;
import dev.ropewalk.actors.internal.observe.Described;
import dev.ropewalk.actors.internal.observe.Observed;
import dev.ropewalk.actors.internal.observe.ObservedActor;
import dev.ropewalk.actors.internal.observe.ObservedSupervisor;
import dev.ropewalk.actors.internal.observe.Snapshots;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.observe.TypeNames;
import dev.ropewalk.actors.internal.routing.Gauge;
import dev.ropewalk.actors.internal.routing.Membership;
import dev.ropewalk.actors.internal.routing.Routee;
import dev.ropewalk.actors.internal.sending.Gate;
import dev.ropewalk.actors.internal.supervision.Child;
import dev.ropewalk.actors.internal.supervision.Start;
import dev.ropewalk.actors.internal.supervision.Supervised;
import dev.ropewalk.actors.internal.supervision.SupervisedActor;
import dev.ropewalk.actors.internal.supervision.Supervising;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.observe.ActorActivity;
import dev.ropewalk.actors.observe.ActorDetails;
import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.ActorGlance;
import dev.ropewalk.actors.observe.ActorPhase;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.spi.OpenAsk;
import dev.ropewalk.actors.spi.Target;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.dump.CordQuery;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The part of an actor that survives a restart: its address, mailbox and committed behavior. The
 * part that goes with a fiber is its {@link Incarnation}.
 *
 * <pre>
 *   DOWN     -> DELAYED   the first turn of an incarnation that has a back-off to wait for
 *   DOWN     -> STARTING  the same, of one that has none; also DELAYED -> STARTING
 *   STARTING -> UP        the factory returned, or the body is about to begin
 *   DELAYED, STARTING, UP -> DOWN   the incarnation is over; its supervisor decides
 *   DOWN     -> ENDED     it is not started again; queued messages become dead letters
 * </pre>
 *
 * Everything but the final fields is confined to the actor's cord; a call from another thread comes
 * as a message to that cord, which also makes stopping and accepting atomic.
 */
public final class ActorCell<M> extends Target<M>
        implements SupervisedActor<M>, ObservedActor, Routee<M>, Gate.Host {
    private static final byte DOWN = 0;
    private static final byte DELAYED = 1;
    private static final byte STARTING = 2;
    private static final byte UP = 3;
    private static final byte ENDED = 4;

    private static final List<String> STATES =
            List.of("DOWN", "DELAYED", "STARTING", "UP", "ENDED");

    private final ActorRef<M> ref;
    private final Cord cord;
    private final Definition<M> definition;
    private final Child child;

    /** The gate that senders pass; null if the mailbox is a queue without a bound. */
    private final @Nullable Gate<M> gate;

    /** The shared empty one until a message is queued: most actors are idle most of the time. */
    private Mailbox mailbox = FifoMailbox.EMPTY;

    /** A number, because a store of a reference costs nanoseconds more with G1. */
    private byte state = DOWN;

    /**
     * The fiber of handler style that takes messages now, if no gate stands before it; otherwise
     * null. Here too, because one load less lies between two actors that answer each other. On its
     * cord; elsewhere only a hint.
     */
    private @Nullable Fiber<?> plain;

    /** Null unless one runs. */
    @Nullable Incarnation<M> incarnation;

    /** Where a restart that keeps the state goes on; otherwise what the factory made last. */
    private @Nullable Behavior<M> committed;

    /** The ask in which this actor waits; read and written by {@link AskCycles}. */
    @Nullable OpenAsk asking;

    /** Null for most actors. */
    @Nullable Extras<M> extras;

    /** By {@link #terminate}, not by the supervisor; while down it ends the next incarnation. */
    boolean terminateAsked;

    /** By its supervisor: what comes is its last end. */
    boolean stopAsked;

    /** By its supervisor, which waits for its end; read by the cords of those that it asks. */
    volatile boolean isBeingStopped;

    /** By {@link #kill}, before its first incarnation began. */
    private boolean killAsked;

    /** Some incarnation was up: what fails now is no first start. */
    boolean wasUp;

    /** It had an incarnation. */
    private boolean hasBegun;

    /** It begins no message. */
    private boolean isSuspended;

    /** Before it begins a message it waits until it may; see {@link Extras}. */
    boolean needsPermit;

    /** A snapshot has looked at it, and the next one does not need to. */
    private boolean isWatched;

    /**
     * The mailbox was made before the actor was up. When it is empty it goes: most actors that were
     * told while they started never queue again, and it is a quarter of an idle actor.
     */
    private boolean isMailboxEarly;

    /**
     * The last incarnation returned, was stopped or terminated for itself, and not because its
     * supervisor ended. Read by the supervisor when all its children have ended.
     */
    private volatile boolean overByItself;

    ActorCell(
            String name,
            Cord cord,
            Actor<M> actor,
            Supervising supervisor,
            SystemCore core,
            @Nullable ChildSpec<?> spec) {
        this.definition = Definition.of(actor);
        this.cord = Objects.requireNonNull(cord, "cord");
        this.child = new Child(this, supervisor, spec);
        this.ref = ActorRef.to(supervisor.path(), name, supervisor.nextNumber(), this);
        this.gate = definition.hasGate ? definition.mailbox.gate(this) : null;
    }

    // ---------------------------------------------------------------- telling

    /** A plain message to an actor that is up asks little; all else goes the long way. */
    @Override
    public void tell(M message) {
        Fiber<?> idle = plain;
        if (idle != null && cord.isCurrent() && !(message instanceof Envelope) && !Taps.onTells()) {
            Incarnation<M> running = Objects.requireNonNull(incarnation);
            if (Waits.resumeHandlerHere(cord, idle, Incarnation.HANDED_OVER)) {
                running.isHanded(message);
            } else {
                queue(running, message);
            }
        } else {
            tellAny(message);
        }
    }

    private void tellAny(M message) {
        if (!Taps.onTells()) {
            send(told(message));
        } else if (!Caller.holds(ref, message)) {
            send(core().seen(message));
            Caller.sentTo(ref, message);
        }
    }

    static Object told(Object message) {
        return message instanceof Envelope ? new Envelope.Told(message, false) : message;
    }

    @Override
    public void tellBy(String router, M message) {
        boolean isSeen = Taps.onTells();
        if (isSeen && Caller.holds(this, router, message)) {
            return;
        }
        Object item = isSeen ? core().seen(message) : told(message);
        if (gate == null) {
            deliver(item, router);
        } else {
            gate.send(item, Long.MAX_VALUE, router);
        }
        if (isSeen) {
            Caller.sentTo(ref, message);
        }
    }

    /** Like {@link #tell}, of a message or its envelope. */
    void send(Object item) {
        if (gate == null) {
            deliver(item);
        } else {
            gate.send(item, Long.MAX_VALUE, null);
        }
    }

    /** Never waits: of what is unbounded, needs no room, or has it. From any thread. */
    void deliver(Object item) {
        deliver(item, null);
    }

    @Override
    public void deliver(Object item, @Nullable String router) {
        if (cord.isCurrent()) {
            accept(item, router);
        } else {
            cord.post(new Delivery(this, item, router));
        }
    }

    /** An actor that waits has begun the message at once, so no permit is taken. */
    @Override
    public boolean isHandedOver(Object item) {
        return cord.isCurrent()
                && isReceiving()
                && Objects.requireNonNull(incarnation).handOver(item);
    }

    @Override
    public boolean isHere() {
        return cord.isCurrent();
    }

    @Override
    public boolean isCaller() {
        Incarnation<?> caller = Caller.incarnation();
        return caller != null && caller == incarnation;
    }

    @Override
    public TellResult tryTell(M message) {
        return tryTellBy(null, message);
    }

    @Override
    public TellResult tryTellBy(@Nullable String router, M message) {
        boolean isSeen = Taps.onTells();
        if (isSeen && Caller.holds(this, router, message)) {
            return TellResult.ACCEPTED;
        }
        TellResult result = trySend(isSeen ? core().seen(message) : told(message), router);
        if (isSeen && result == TellResult.ACCEPTED) {
            Caller.sentTo(ref, message);
        }
        return result;
    }

    /** Like {@link #tryTell}, of a message or its envelope. */
    TellResult trySend(Object item) {
        return trySend(item, null);
    }

    private TellResult trySend(Object item, @Nullable String router) {
        if (cord.isCurrent() && state == ENDED) {
            return TellResult.ENDED;
        }
        if (gate != null) {
            return gate.trySend(item, router);
        }
        deliver(item, router);
        return TellResult.ACCEPTED;
    }

    @Override
    public void refuse(Object item, MailboxFullException full, @Nullable String router) {
        Dropped.refuse(this, item, full, router);
    }

    @Override
    public void fail(Throwable failure) {
        Dropped.failure(this, failure);
    }

    @Override
    public <R> R ask(Function<Recipient<R>, ? extends M> message, Duration limit) {
        return AwaitedAsk.ask(this, message, limit);
    }

    @Override
    public <R> CompletionStage<R> askLater(
            Function<Recipient<R>, ? extends M> message, Duration limit) {
        return LaterAsk.ask(this, message, limit);
    }

    /** Those that hear of what it does; asked while there are any. */
    List<Tap> taps() {
        return extras == null ? List.of() : extras.taps();
    }

    void checkCord(String call) {
        if (!cord.isCurrent()) {
            throw new IllegalStateException(
                    call + " of " + ref + " was called by " + Caller.name() + ", not on " + cord);
        }
    }

    @Override
    public void stop() {
        if (gate != null) {
            gate.stops();
        }
        deliver(Stop.STOP);
    }

    @Override
    public void terminate() {
        onCord(
                () -> {
                    terminateAsked = true;
                    if (incarnation != null) {
                        incarnation.terminate();
                    }
                });
    }

    @Override
    public void kill() {
        onCord(
                () -> {
                    if (incarnation != null) {
                        incarnation.endFor(new ExitReason.Killed());
                    } else {
                        killAsked = state == DOWN && !wasUp;
                    }
                });
    }

    @Override
    public boolean awaitEnd(Duration limit) {
        return CellEnd.await(this, limit);
    }

    @Override
    public void watch(DownListener listener, boolean ofEach) {
        onCord(
                () -> {
                    boolean isLeaving = extras != null && extras.isLeaving;
                    if (isOver() && !isLeaving) {
                        listener.down(new Down(ref, new ExitReason.NoActor()));
                    } else {
                        extras().watch(listener, ofEach);
                    }
                });
    }

    @Override
    public void unwatch(DownListener listener) {
        onCord(
                () -> {
                    if (extras != null) {
                        extras.unwatch(listener);
                    }
                });
    }

    /** Of the incarnation that runs; null if there is none, or it owns nothing. */
    @Nullable Belongings<M> belongings() {
        return incarnation == null ? null : incarnation.belongingsOrNull();
    }

    Extras<M> extras() {
        if (extras == null) {
            extras = new Extras<>();
        }
        return extras;
    }

    // ---------------------------------------------------------------- groups

    @Override
    public @Nullable Boolean enterGroup(Object group, Membership membership) {
        return state == ENDED ? null : (Boolean) extras().enter(group, membership);
    }

    @Override
    public @Nullable Runnable leaveGroup(Object group) {
        return extras == null ? null : extras.leave(group);
    }

    @Override
    public Gauge gauge() {
        return extras().gauge();
    }

    /** A message was taken, or there is none, or the loop receives again. */
    void tellSize() {
        Gauge gauge = extras == null ? null : extras.gaugeOrNull();
        if (gauge != null) {
            gauge.publish(mailbox.size());
        }
    }

    // ---------------------------------------------------------------- accepting

    /** Its cord ended while it was on its way. */
    void lost(Object item, @Nullable String router) {
        if (gate == null || gate.comes(item)) {
            Dropped.drop(this, item, Dropped.nameBy(this, router), DeadLetter.Reason.ENDED, null);
        }
    }

    private void queue(Incarnation<M> running, Object item) {
        putIntoMailbox(item);
        running.nudge(item);
    }

    /** On the cord: the message is accepted from here on. */
    void accept(Object item, @Nullable String router) {
        if (item instanceof Envelope.Notice<?> notice && notice.source.isRevoked()) {
            return;
        }
        if (gate != null && !gate.comes(item)) {
            return;
        }
        if (isReceiving() && Objects.requireNonNull(incarnation).handOver(item)) {
            begun(item);
            return;
        }
        if (state != UP && isRefused(item, router)) {
            return;
        }
        if (state == UP) {
            queue(Objects.requireNonNull(incarnation), item);
        } else {
            putIntoMailbox(item);
        }
    }

    private void putIntoMailbox(Object item) {
        Mailbox queue = ownMailbox();
        queue.add(item, Waits.ticks(cord), Waits.tickTime(cord));
        if (queue.isOverfull()) {
            Dropped.drop(this, queue.displaced(), DeadLetter.Reason.DISPLACED, null);
        }
    }

    /** It has ended; or it is down, and does not begin again before its asker has ended. */
    private boolean isRefused(Object item, @Nullable String router) {
        if (state == ENDED) {
            Dropped.drop(this, item, Dropped.nameBy(this, router), DeadLetter.Reason.ENDED, null);
            return true;
        }
        Object inside = Placed.now(item);
        if (!(inside instanceof Ask<?, ?> ask) || !ask.endInVain()) {
            return false;
        }
        if (!Placed.closeAs(item, ask)) {
            return isRefused(item, router); // a newer one has its place
        }
        begun(item); // it takes up no room
        Dropped.drop(this, item, Dropped.nameBy(this, router), DeadLetter.Reason.ENDED, null);
        return true;
    }

    /** It begins no message before its supervisor has waited for the end of the asker. */
    boolean isDownUntilEndOf(ActorCell<?> asker) {
        return state == DOWN
                && (asker.isBeingStopped || asker.child.supervisor().endsForGood())
                && child.supervisor().awaitsEndOf(asker.child);
    }

    /** The actor that it asks may wait for its end. */
    private void beingStopped() {
        isBeingStopped = true;
        if (asking instanceof Ask<?, ?> open) {
            open.target().onCord(open::endInVain);
        }
    }

    /** After each change of what it is made of. */
    private void seePlain() {
        plain = plainNow();
    }

    private @Nullable Fiber<?> plainNow() {
        return gate == null && isReceiving() && incarnation != null
                ? incarnation.handlerFiber()
                : null;
    }

    /** And nothing is queued, nor to be done between two turns. */
    boolean isPlainAndEmpty() {
        return plain != null
                && extras == null
                && (mailbox == FifoMailbox.EMPTY || (mailbox.size() == 0 && !isMailboxEarly));
    }

    private boolean isReceiving() {
        return state == UP && !isSuspended;
    }

    Mailbox ownMailbox() {
        if (isWatched) {
            changed();
        }
        if (mailbox == FifoMailbox.EMPTY) {
            mailbox = definition.newMailbox(ref);
            isMailboxEarly = !wasUp;
        }
        return mailbox;
    }

    /** Null unless one runs; on the cord. */
    @Nullable Incarnation<M> running() {
        return incarnation;
    }

    @Override
    public void renewed(Placed.Renewable message) {
        onCord(
                () -> {
                    if (incarnation != null) {
                        incarnation.renewed(message);
                    }
                });
    }

    Mailbox mailboxNow() {
        return mailbox;
    }

    /** The actor waits, and has taken all that it wants for now. */
    void idles() {
        if (isMailboxEarly && mailbox.size() == 0 && mailbox.postponed() == 0) {
            isMailboxEarly = false;
            mailbox = FifoMailbox.EMPTY;
        }
    }

    /** The actor has begun a message, which leaves room for another. */
    void begun(Object item) {
        if (gate != null && !Envelope.isExempt(item)) {
            gate.begun();
        }
    }

    /** From any thread: the ask needs no watching any more. */
    void answered(Ask<?, ?> ask) {
        Belongings<M> own = cord.isCurrent() ? belongings() : null;
        OpenAsks asks = own == null ? null : own.asksOrNull();
        if (asks != null) {
            asks.remove(ask);
        }
    }

    // ---------------------------------------------------------------- incarnations

    @Override
    public Handler incarnation(@Nullable Start start) {
        return new Incarnation<>(this, start);
    }

    /** The first turn of an incarnation. Waits for the delay. */
    void begin(Incarnation<M> next, long delayNs) {
        incarnation = next;
        overByItself = false;
        isBeingStopped = false;
        if (hasBegun) {
            extras().restarts++;
            core().restarts(typeName());
            isSuspended = false;
        }
        hasBegun = true;
        if (extras != null) {
            extras.begins();
            next.adopt(extras.kept, extras.takeWaiting());
            extras.kept = null;
        }
        boolean isKilled = killAsked;
        killAsked = false;
        if (delayNs > 0 && !terminateAsked) {
            state(DOWN, DELAYED);
            Fiber.sleep(Duration.ofNanos(delayNs));
            state(DELAYED, STARTING);
        } else {
            state(DOWN, STARTING);
        }
        if (isKilled) {
            next.endFor(new ExitReason.Killed());
            Fiber.snooze();
        }
        if (terminateAsked) {
            Fiber.current().terminate();
            Fiber.snooze();
        }
    }

    void isUp() {
        state(STARTING, UP);
        wasUp = true;
        ActorEvents.started(ref, cord, restarts());
    }

    @Nullable Behavior<M> committed() {
        return committed;
    }

    /** Refuses the instance of the incarnation before, if it has a state. */
    void checkFresh(Behavior<M> first) {
        if (!definition.hasStateOfItsOwn(first)) {
            return;
        }
        if (first == committed) {
            throw new IllegalStateException(
                    ref
                            + ": the factory returned the instance of the incarnation before, with"
                            + " its state: "
                            + first
                            + "; make a new one at each start, or use keepState()");
        }
        committed = first;
    }

    /** The supervisor of its own actors is over: they have ended by themselves, or with it. */
    @Override
    public void childrenOver(SupervisorCell below, boolean isDrained) {
        if (incarnation != null && incarnation.childrenOver(below) && isDrained) {
            stop(); // the one that it put off
        }
    }

    void endsByItself() {
        overByItself = true;
    }

    /** The incarnation is over; its supervisor decides what follows. */
    void isDown(Incarnation<M> ended, ExitReason reason) {
        if (reason.isFailure() || extras != null) {
            extras().isDown(typeName(), reason.failure());
        }
        incarnation = null;
        if (definition.keepsState && state == UP) {
            committed = ended.behavior();
        }
        state(state, DOWN);
        overByItself |= reason instanceof ExitReason.Shutdown && terminateAsked;
        // An actor that fails before it is terminated is terminated when it starts again.
        terminateAsked &= reason.isFailure();
    }

    /** Not started again; false if that was so before. */
    boolean isEndedNow() {
        if (state == ENDED) {
            return false;
        }
        state(state, ENDED);
        committed = null;
        return true;
    }

    /** It has ended by itself, whatever ends its fiber now. */
    boolean hasReturned() {
        return overByItself;
    }

    /** It was told to end, and is not to be started again for not doing so in time. */
    boolean isEndAsked() {
        return terminateAsked || stopAsked;
    }

    boolean isUpNow() {
        return state == UP;
    }

    boolean isStarting() {
        return state == STARTING;
    }

    /** Its supervisor's, from the stop or the crash to the end of the hooks. */
    @Override
    public Duration stopLimit() {
        return child.stopLimit(child.supervisor().rules());
    }

    /** Keeps the belongings of the state for the next incarnation. */
    void keep(Belongings<M> own) {
        if (cord.isCurrent()) { // a cord that has ended has no time
            own.kept();
        }
        extras().kept = own;
    }

    // ---------------------------------------------------------------- the supervisor's side

    @Override
    public void stop(Fiber<?> fiber, boolean isLast) {
        onCord(
                () -> {
                    stopAsked |= isLast;
                    beingStopped();
                    if (incarnation != null) {
                        incarnation.limitEnd();
                    }
                });
        fiber.terminate(); // after that, so that it knows of its last end when it ends
    }

    @Override
    public void limitEnd() {
        onCord(
                () -> {
                    if (incarnation != null) {
                        incarnation.limitEnd();
                    }
                });
    }

    @Override
    public Handler stateEnd(ExitReason reason) {
        return new EndHooks.LateRun<>(this, reason);
    }

    @Override
    public void drain() {
        stop();
    }

    @Override
    public void drainAgain() {
        drain(); // it may have taken the first one
    }

    @Override
    public Duration stopLimit(Supervision rules) {
        return rules.stopLimit();
    }

    @Override
    public RestartRule restartRule() {
        RestartRule own = definition.restart;
        return own == null ? child.supervisor().restartRuleOfActors() : own;
    }

    @Override
    public boolean isOverByItself() {
        return overByItself;
    }

    @Override
    public void end(ExitReason reason) {
        onCord(() -> CellEnd.forGood(this, reason));
    }

    @Nullable Object poll() {
        return mailbox.poll();
    }

    /** It has ended, and its mailbox is empty. */
    void dropsMailbox() {
        mailbox = FifoMailbox.EMPTY;
        if (gate != null) {
            gate.close();
        }
    }

    /** Reports a message that is not processed, and tells its asker. */
    void drop(Object item, DeadLetter.Reason reason, @Nullable Throwable failure) {
        Dropped.drop(this, item, reason, failure);
    }

    @Override
    public void drop(Object item, DeadLetter.Reason reason) {
        drop(item, reason, null);
    }

    @Override
    public void noReply(Object item, DeadLetter.Reason reason) {
        Dropped.noReply(item, reason, null);
    }

    // ---------------------------------------------------------------- looking

    /** No field, because there are many actors. */
    SystemCore core() {
        return (SystemCore) child.supervisor().host();
    }

    @Override
    public ActorRef<M> ref() {
        return ref;
    }

    @Override
    public String name() {
        return ref.name();
    }

    @Override
    public @Nullable Supervised lookUp(String below) {
        SupervisorCell own = core().childrenOf(this);
        return own == null ? null : own.lookUp(below);
    }

    @Override
    public Object address() {
        return ref;
    }

    @Override
    public Cord cord() {
        return cord;
    }

    /** Null if the mailbox is a queue without a bound. */
    @Nullable Gate<M> gate() {
        return gate;
    }

    Definition<M> definition() {
        return definition;
    }

    @Override
    public Child child() {
        return child;
    }

    @Override
    public DeadLetters deadLetters() {
        return core().deadLetters;
    }

    @Override
    public MailboxSnapshot mailbox() {
        return Objects.requireNonNull(mailbox(Long.MAX_VALUE));
    }

    /** Null if its cord did not answer within the limit. */
    @Override
    public @Nullable MailboxSnapshot mailbox(long limitNanos) {
        return CordQuery.ask(cord, () -> CellView.snapshot(this)).awaitOrAnswer(limitNanos);
    }

    // ---------------------------------------------------------------- observing, on the cord

    @Override
    public Described describe() {
        return CellView.describe(this);
    }

    @Override
    public List<? extends Observed> below() {
        return CellView.below(this);
    }

    @Override
    public ActorDump silent() {
        return CellView.silent(this);
    }

    @Override
    public ActorGlance glance() {
        return CellView.glance(this);
    }

    @Override
    public ActorActivity activity() {
        return CellView.activity(this);
    }

    @Override
    public ActorDetails details() {
        return CellView.details(this);
    }

    @Override
    public @Nullable ObservedSupervisor supervisor() {
        return child().supervisor() instanceof ObservedSupervisor above ? above : null;
    }

    @Override
    public void watch() {
        isWatched = true;
    }

    ActorPhase phase() {
        return switch (state) {
            case DOWN -> ActorPhase.DOWN;
            case DELAYED, STARTING -> ActorPhase.STARTING;
            case UP -> isSuspended ? ActorPhase.SUSPENDED : ActorPhase.UP;
            default -> ActorPhase.ENDED;
        };
    }

    @Override
    public boolean isOver() {
        return state == ENDED;
    }

    long restarts() {
        return extras == null ? 0 : extras.restarts;
    }

    /** The class under which it counts, and is traced. */
    String typeName() {
        Object now = userState();
        String before = extras == null ? null : extras.type;
        return now == null && before != null
                ? before
                : TypeNames.of(now, definition.factory, definition.body);
    }

    @Override
    public @Nullable Object userState() {
        return incarnation == null ? null : incarnation.seen().userState();
    }

    boolean isSuspended() {
        return isSuspended;
    }

    @Override
    public void suspend() {
        isSuspended = true;
        seePlain();
        if (isWatched) {
            changed();
        }
    }

    @Override
    public void resume() {
        boolean was = isSuspended;
        isSuspended = false;
        seePlain();
        if (was && state == UP) {
            Objects.requireNonNull(incarnation).resumed();
        }
        if (isWatched) {
            changed();
        }
    }

    @Override
    public void addTap(Tap tap) {
        extras().addTap(tap);
    }

    @Override
    public void removeTap(Tap tap) {
        if (extras != null && extras.removeTap(tap)) {
            extras = null; // its messages go the short way again
        }
    }

    /** How many asks the running incarnation has taken and not answered; on the cord. */
    public int openAsks() {
        return OpenAsks.sizeOf(belongings());
    }

    /** On the cord. */
    public void checkInvariants() {
        mailbox.checkInvariants();
        if (gate != null) {
            gate.checkInvariants();
        }
        if (plain != plainNow()) {
            throw new IllegalStateException(
                    "plain=" + plain + " state=" + STATES.get(state) + " in " + this);
        }
        boolean runs = state != DOWN && state != ENDED;
        if (runs != (incarnation != null)) {
            throw new IllegalStateException("state=" + STATES.get(state) + " with " + incarnation);
        }
        if (state == ENDED && mailbox.messages() > 0) {
            throw new IllegalStateException("ended with messages: " + this);
        }
    }

    private void state(byte from, byte to) {
        if (state != from) {
            throw new IllegalStateException(
                    "state=" + STATES.get(state) + " != from=" + STATES.get(from) + " in " + this);
        }
        state = to;
        if (from == UP || to == UP) {
            seePlain();
        }
        if (isWatched || (Snapshots.areAnyOn() && snapshots().isOn())) {
            changed();
        }
    }

    private Snapshots snapshots() {
        return core().snapshots();
    }

    private void changed() {
        isWatched = false;
        snapshots().changed(this);
    }

    @Override
    public void onCord(Runnable task) {
        if (cord.isCurrent()) {
            task.run();
        } else {
            cord.post(new CellTask(task));
        }
    }

    @Override
    public String toString() {
        return "actor " + ref + " on " + cord;
    }
}
