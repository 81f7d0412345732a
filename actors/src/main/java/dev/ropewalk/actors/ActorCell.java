package dev.ropewalk.actors;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartDelays;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The part of an actor that survives a restart: its address, mailbox, committed behavior and failed
 * message. Each incarnation is a fiber whose handler this is; a loop-style body is one long turn.
 *
 * <pre>
 *   DOWN    -> UP       the first turn of an incarnation
 *   DOWN    -> DELAYED  the same, of one that has a back-off to wait for
 *   DELAYED -> UP       the delay is over
 *   UP      -> DOWN     the incarnation is over; its supervisor decides; also DELAYED -> DOWN
 *   DOWN    -> ENDED    it is not started again; queued messages become dead letters
 * </pre>
 *
 * A message is in exactly one place: on its way, in the mailbox, or {@code current}. It is current
 * from the moment it is handed to the waiting fiber, tries counted from the moment the actor sees
 * it; a fiber that ends with a current message it has not seen puts it back.
 *
 * <p>Everything but the final fields is confined to the actor's cord; a call from another thread
 * comes as a message to that cord, which also makes stopping and accepting atomic.
 */
final class ActorCell<M> implements ActorRef<M>, ActorContext<M>, Handler {
    private enum State {
        DOWN,
        DELAYED,
        UP,
        ENDED
    }

    /**
     * Of a supervisor's messages: handled in less than a tick, and more than a maker of actors
     * sends at once.
     */
    private static final int MAX_IN_A_TURN = 4_096;

    static final Object STOP = new NamedObject("stop");

    /** Another turn for the message that the turn before made current. */
    private static final Object NEXT = new NamedObject("next");

    /** The resume value of a message: it is in {@code current}. Null is the cheapest to queue. */
    static final @Nullable Object HANDED_OVER = null;

    private record NamedObject(String name) {}

    /** In the mailbox: a message that was put back, and how often it has been tried. */
    private record Tried(Object message, int times) {}

    /** An address for a reply that is itself the message, and not the envelope of an ask. */
    private record Told(Ask<?, ?> replyTo) {}

    private final String name;
    private final Cord cord;
    private final Actor<M> actor;

    /** How a loop-style body receives; null for handler style. */
    private final @Nullable Receiver<M> receiver;

    private final @Nullable Supervisor supervisor;
    private final DeadLetters deadLetters;
    private final Runnable afterEnd;

    /** The shared empty one until a message is queued: most actors are idle most of the time. */
    private Mailbox mailbox = Mailbox.EMPTY;

    private final OpenAsks openAsks = new OpenAsks();
    private @Nullable Supervisor supervises;

    /** The links of the supervisor's list, and the fiber it started last; of its cord. */
    @Nullable ActorCell<?> olderSibling;

    @Nullable ActorCell<?> youngerSibling;
    @Nullable Fiber<?> incarnation;

    /**
     * Of the restarts by the supervisor, which writes it before it starts an incarnation; null if
     * there was none.
     */
    @Nullable RestartDelays delays;

    private State state = State.DOWN;
    private @Nullable Fiber<?> fiber;
    private @Nullable Behavior<M> behavior;

    private @Nullable Object current;
    private int tries;

    /** How often the current message was tried before. */
    private int triedBefore;

    /** By {@link #terminate}, not by the supervisor; while down it ends the next incarnation. */
    private boolean terminateAsked;

    /**
     * The last incarnation returned, was stopped or terminated for itself, and not because its
     * supervisor ended. Read by the supervisor when all its children have ended.
     */
    private volatile boolean overByItself;

    /** The ask in which this actor waits; read by other cords' actors that search for a circle. */
    private volatile @Nullable Ask<?, ?> asking;

    ActorCell(
            String name,
            Cord cord,
            Actor<M> actor,
            @Nullable Supervisor supervisor,
            DeadLetters deadLetters,
            Runnable afterEnd) {
        this.name = Objects.requireNonNull(name, "name");
        this.cord = Objects.requireNonNull(cord, "cord");
        this.actor = Objects.requireNonNull(actor, "actor");
        this.receiver = actor.body() == null ? null : new Receiver<>(this);
        this.supervisor = supervisor;
        this.deadLetters = deadLetters;
        this.afterEnd = afterEnd;
    }

    // ---------------------------------------------------------------- the address

    @Override
    public void tell(M message) {
        Objects.requireNonNull(message, "message");
        send(message instanceof Ask<?, ?> replyTo ? new Told(replyTo) : message);
    }

    private void send(Object message) {
        if (cord.isCurrent()) {
            accept(message);
        } else {
            cord.post(new Delivery(this, message));
        }
    }

    @Override
    public <R> R ask(Function<ReplyTo<R>, ? extends M> message, Duration limit) {
        long limitNanos = Waits.nanos(limit);
        Waits.switchpoint(); // before the message is made: an exception means that none was sent
        ActorCell<?> asker = running();
        Ask<M, R> ask = new Ask<>(this, asker == null ? callerName() : asker.name);
        ask.setMessage(Objects.requireNonNull(message.apply(ask), "message"));
        if (asker == null) {
            send(ask);
            return ask.await(limitNanos);
        }
        asker.asking = ask;
        try {
            AskCycles.check(asker);
            send(ask);
            return ask.await(limitNanos);
        } finally {
            asker.asking = null;
        }
    }

    private static @Nullable ActorCell<?> running() {
        Fiber<?> fiber = Fiber.currentOrNull();
        return fiber != null && Waits.handler(fiber) instanceof ActorCell<?> cell ? cell : null;
    }

    private static String callerName() {
        Fiber<?> fiber = Fiber.currentOrNull();
        return fiber == null ? Thread.currentThread().toString() : fiber.toString();
    }

    @Override
    public void stop() {
        send(STOP);
    }

    @Override
    public void terminate() {
        onCord(
                () -> {
                    terminateAsked = true;
                    if (fiber != null) {
                        fiber.terminate();
                    }
                });
    }

    @Override
    public String name() {
        return name;
    }

    // ---------------------------------------------------------------- accepting

    /** On the cord: the message is accepted from here on. */
    private void accept(Object message) {
        if (state == State.ENDED) {
            drop(message, DeadLetter.Reason.ENDED, null);
            return;
        }
        if (message instanceof Ask<?, ?> ask) {
            openAsks.add(ask);
        }
        if (state != State.UP || !handOver(message)) {
            ownMailbox().add(message);
            if (receiver != null && fiber != null && state == State.UP) {
                receiver.nudge(fiber);
            }
        }
    }

    Mailbox mailbox() {
        return mailbox;
    }

    private Mailbox ownMailbox() {
        if (mailbox == Mailbox.EMPTY) {
            mailbox = new Mailbox(name);
        }
        return mailbox;
    }

    /** From any thread: the ask needs no watching any more. */
    void answered(Ask<?, ?> ask) {
        if (cord.isCurrent()) {
            openAsks.remove(ask);
        }
    }

    /** Gives the message to the fiber if it waits for one: the mailbox is not touched. */
    private boolean handOver(Object message) {
        Fiber<?> waiting = Objects.requireNonNull(fiber);
        boolean given =
                receiver == null
                        ? Waits.resumeHandler(waiting, HANDED_OVER)
                        : receiver.resumeWith(message, waiting);
        if (given) {
            current = message;
            triedBefore = 0;
            tries = 0;
        }
        return given;
    }

    @SuppressWarnings("unchecked") // only M, asks of M and STOP are sent
    M unwrap(Object message) {
        // Not a switch: one on types is slower here, where nearly all messages are neither.
        if (message instanceof Ask<?, ?> ask) {
            return (M) ask.message();
        }
        return (M) (message instanceof Told told ? told.replyTo() : message);
    }

    // ---------------------------------------------------------------- turns

    @Override
    public @Nullable Object handle(@Nullable Object value) throws Exception {
        if (value == Handler.START) {
            start();
            if (receiver != null) {
                receiver.run(Objects.requireNonNull(actor.body()));
                current = null;
                return over();
            }
        } else if (!takeCurrent()) {
            return over();
        }
        return nextTurn();
    }

    /** False if it was told to stop. */
    private boolean takeCurrent() throws Exception {
        if (current == STOP) {
            current = null;
            return false;
        }
        process(Objects.requireNonNull(current));
        return true;
    }

    private Object over() {
        overByItself = true;
        return Handler.END;
    }

    private void start() {
        fiber = Fiber.current();
        overByItself = false;
        long delayNs = delays == null || terminateAsked ? 0 : delays.delayNs();
        if (delayNs > 0) {
            state(State.DOWN, State.DELAYED);
            Fiber.sleep(Duration.ofNanos(delayNs));
            state(State.DELAYED, State.UP);
        } else {
            state(State.DOWN, State.UP);
        }
        if (terminateAsked) {
            Fiber.current().terminate();
            Fiber.snooze();
        }
        Function<ActorContext<M>, Behavior<M>> factory = actor.factory();
        if (factory != null && !(actor.keepsState() && behavior != null)) {
            behavior = null;
            Behavior<M> first = Objects.requireNonNull(factory.apply(this), "first behavior");
            if (first == BehaviorSigns.<M>same()) {
                throw new IllegalStateException(
                        name + ": the factory returned Behavior.same(), but there is none yet");
            }
            behavior = first;
        }
    }

    private void process(Object message) throws Exception {
        tries = triedBefore + 1;
        Behavior<M> now = Objects.requireNonNull(behavior);
        Behavior<M> next = now.onMessage(unwrap(message));
        if (next != BehaviorSigns.<M>same()) {
            behavior = Objects.requireNonNull(next, "next behavior");
        }
        current = null;
    }

    /**
     * A supervisor handles all that was queued in one turn: with one message a turn, a fiber that
     * makes many actors in a turn would be ahead of it by more and more, and so would actors that
     * end. Not where fibers are limited, because then those that it starts have to end in between.
     */
    private @Nullable Object nextTurn() throws Exception {
        boolean takesAll = supervises != null && cord.maxFibers() == Integer.MAX_VALUE;
        int inThisTurn = takesAll ? Math.min(mailbox.size(), MAX_IN_A_TURN) : 0;
        for (; ; inThisTurn--) {
            if (behavior == BehaviorSigns.<M>stopped()) {
                behavior = null;
                return over();
            }
            Object queued = mailbox.poll();
            if (queued == null) {
                return Handler.WAIT;
            }
            makeCurrent(queued);
            if (inThisTurn == 0) {
                return NEXT;
            }
            if (!takeCurrent()) {
                return over();
            }
        }
    }

    void makeCurrent(Object queued) {
        current = content(queued);
        triedBefore = queued instanceof Tried tried ? tried.times() : 0;
        tries = 0;
    }

    static Object content(Object queued) {
        return queued instanceof Tried tried ? tried.message() : queued;
    }

    // ---------------------------------------------------------------- the actor's own side

    @Override
    public ActorRef<M> self() {
        return this;
    }

    @Override
    public int attempt() {
        return tries;
    }

    @Override
    public M receive() {
        return Objects.requireNonNull(receiver().receive(null, null, Long.MAX_VALUE));
    }

    @Override
    public @Nullable M receive(Duration limit) {
        return receiver().receive(null, null, Waits.nanos(limit));
    }

    @Override
    public <T extends M> T receive(Class<T> type) {
        Objects.requireNonNull(type, "type");
        return type.cast(Objects.requireNonNull(receiver().receive(type, null, Long.MAX_VALUE)));
    }

    @Override
    public M receive(Predicate<? super M> wanted) {
        Objects.requireNonNull(wanted, "wanted");
        return Objects.requireNonNull(receiver().receive(null, wanted, Long.MAX_VALUE));
    }

    /** The actor's way to receive, for the actor itself only. */
    private Receiver<M> receiver() {
        Receiver<M> own = receiver;
        if (own == null) {
            throw new IllegalStateException(
                    name
                            + " is handler style: its messages come to its behavior. Use Actor.loop"
                            + " to receive");
        }
        Fiber<?> here = Fiber.currentOrNull();
        if (here == null || here != fiber) {
            throw new IllegalStateException(
                    "receive of "
                            + name
                            + " was called by "
                            + callerName()
                            + "; only the actor's own fiber may receive");
        }
        return own;
    }

    void forgetCurrent() {
        current = null;
    }

    /** The loop has taken the current message and begins to work on it. */
    M beginCurrent() {
        tries = triedBefore + 1;
        return unwrap(Objects.requireNonNull(current));
    }

    boolean isCurrentStop() {
        return current == STOP;
    }

    // ---------------------------------------------------------------- ending

    @Override
    public boolean onEnd(Fiber<?> ended, @Nullable Throwable failure) {
        fiber = null;
        boolean started = state != State.DOWN;
        boolean terminated = failure instanceof FiberTerminatedException;
        boolean returned = overByItself;
        if (started) {
            state(state, State.DOWN);
            overByItself |= terminated && terminateAsked;
            terminateAsked = false;
        }
        settleCurrent(failure);
        if (supervisor == null) {
            end("it ended");
            return false;
        }
        supervisor.childEnded(
                this, ended, started, started && returned && terminated ? null : failure);
        return true;
    }

    private void settleCurrent(@Nullable Throwable failure) {
        Object message = current;
        current = null;
        if (message == null || failure == null) {
            return;
        }
        if (tries == 0) {
            putBack(message, triedBefore);
            return;
        }
        switch (actor.failedMessage()) {
            case FailedMessage.Drop() -> drop(message, DeadLetter.Reason.FAILED, failure);
            case FailedMessage.Park() -> drop(message, DeadLetter.Reason.PARKED, failure);
            case FailedMessage.Retry(int attempts) when tries >= attempts ->
                    drop(message, DeadLetter.Reason.PARKED, failure);
            case FailedMessage.Retry(int _) -> putBack(message, tries);
        }
    }

    private void putBack(Object message, int triesSoFar) {
        ownMailbox().addFirst(triesSoFar == 0 ? message : new Tried(message, triesSoFar));
    }

    /** Not started again; from any thread. */
    void endOnCord(String why) {
        onCord(() -> end(why));
    }

    private void end(String why) {
        boolean first = state != State.ENDED;
        if (first) {
            state(state, State.ENDED);
            behavior = null;
        }
        for (Object queued = mailbox.poll(); queued != null; queued = mailbox.poll()) {
            drop(content(queued), DeadLetter.Reason.ENDED, null);
        }
        if (openAsks.size() > 0) {
            openAsks.failAll(name + " has ended: " + why);
        }
        if (first) {
            afterEnd.run();
        }
    }

    private void drop(Object message, DeadLetter.Reason reason, @Nullable Throwable failure) {
        if (message == STOP) {
            return;
        }
        M content = unwrap(message);
        if (content instanceof SupervisorMessage order) {
            if (reason == DeadLetter.Reason.ENDED) {
                order.refused();
            }
            return; // otherwise the supervisor gave up on it, and may be started again
        }
        deadLetters.report(new DeadLetter(content, name, reason, failure));
        if (message instanceof Ask<?, ?> ask) {
            String why = reason == DeadLetter.Reason.ENDED ? "it has ended" : "it failed";
            ask.fail(why, failure);
        }
    }

    private void state(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    private void onCord(Runnable task) {
        if (cord.isCurrent()) {
            task.run();
        } else {
            cord.post(new Task(task));
        }
    }

    Cord cord() {
        return cord;
    }

    Actor<M> actor() {
        return actor;
    }

    DeadLetters deadLetters() {
        return deadLetters;
    }

    @Nullable Ask<?, ?> asking() {
        return asking;
    }

    /** Has a back-off to wait for; on the cord. */
    boolean isDelayed() {
        return state != State.UP && delays != null && delays.delayNs() > 0;
    }

    boolean isOverByItself() {
        return overByItself;
    }

    void setSupervises(Supervisor own) {
        supervises = own;
    }

    /** The supervisor whose cell this is, null if it is a user's actor. */
    @Nullable Supervisor supervises() {
        return supervises;
    }

    void checkInvariants() {
        mailbox.checkInvariants();
        if (state == State.ENDED && (mailbox.size() > 0 || openAsks.size() > 0)) {
            throw new IllegalStateException("ended with messages or asks: " + this);
        }
    }

    @Override
    public String toString() {
        return "actor " + name + " on " + cord;
    }

    /** A message from another thread on its way. */
    private static final class Delivery extends CordMessage {
        private final ActorCell<?> cell;
        private final Object message;

        Delivery(ActorCell<?> cell, Object message) {
            this.cell = cell;
            this.message = message;
        }

        @Override
        public void onCord() {
            cell.accept(message);
        }

        @Override
        public void onClosed() {
            cell.drop(message, DeadLetter.Reason.ENDED, null);
        }
    }

    /** Something to do on the cord that needs no doing once the cord has ended. */
    private static final class Task extends CordMessage {
        private final Runnable task;

        Task(Runnable task) {
            this.task = task;
        }

        @Override
        public void onCord() {
            task.run();
        }

        @Override
        public void onClosed() {
            task.run(); // nobody else touches the cell now, and its messages must be reported
        }
    }
}
