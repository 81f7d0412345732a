package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.Exit;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.internal.Definition;
import dev.ropewalk.actors.internal.behavior.BehaviorSigns;
import dev.ropewalk.actors.internal.behavior.Requests;
import dev.ropewalk.actors.internal.behavior.StateBehavior;
import dev.ropewalk.actors.internal.behavior.StateChange;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Runs a handler-style actor step by step, without an actor: a step is one message, on the caller's
 * thread. What the behavior does is kept as {@link Effect}s; its children are {@link Probe}s, its
 * timers go off by hand, and what it tells itself waits for {@link #runQueued}. So does what a
 * state machine inserts, and what it postponed and gets again: an actor handles those before all
 * other messages, so call it behind a step that changes the state.
 *
 * {@snippet file="dev/ropewalk/actors/testing/ActorTestingSnippetsTest.java" region="steps"}
 *
 * <p>For one thread or fiber at a time, but for the addresses. A behavior that waits, by a sleep or
 * an ask, needs a fiber: run the steps in a {@link dev.ropewalk.fibers.testing.TestCord}. The ends
 * of other actors are told by {@link #down} and {@link #exit}. What takes a mailbox, a supervisor
 * or other cords is tested with real actors and a {@link Probe}.
 *
 * @param <M> the type of the messages
 */
public final class BehaviorSteps<M> {
    /** How many messages to itself may queue, and how many {@link #runQueued} handles. */
    public static final int CAPACITY = 100_000;

    private static final String PARENT = "steps";

    private final Definition<M> definition;
    private final Sides sides = new Sides();
    private final ProbeTarget<M> target;
    private final ConcurrentLinkedQueue<StepContext.Message<M>> queue =
            new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final List<Effect> effects = new ArrayList<>();

    /** Stands in the queue for a stop; never made. */
    private final StepContext.Message<M> stop =
            () -> {
                throw new IllegalStateException("a stop is no message");
            };

    /** What was inserted, and postponed messages that come again: before all that is queued. */
    private final ArrayDeque<Queued<M>> first = new ArrayDeque<>();

    private final ArrayDeque<Queued<M>> postponed = new ArrayDeque<>();

    private StepContext<M> context = new StepContext<>(sides);
    private Requests<M> requests = new Requests<>();

    /** The message in hand; null outside a step, and while a first entry runs. */
    private @Nullable M current;

    /** Where it comes from; null if it was told, or is postponed. */
    private StepContext.@Nullable Source source;

    private @Nullable Behavior<M> behavior;

    /** Null while it runs. */
    private @Nullable ExitReason reason;

    /** What the message in hand has asked for. */
    private @Nullable ExitReason endAsked;

    private boolean isInStep;
    private int attempt = 1;

    private BehaviorSteps(String name, Definition<M> definition) {
        this.definition = definition;
        this.target = new ProbeTarget<>(PARENT, name, sides);
    }

    /**
     * Runs the factory of the definition: the first step, without a message.
     *
     * @param <M> the type of the messages
     * @param actor how the actor is made; its mailbox and its rules have no effect here, but for
     *     {@link Actor#keepState} and {@link MailboxOptions#withPostponed}
     * @return the steps, with the effects of the factory
     * @throws IllegalArgumentException if it is loop style
     * @throws IllegalStateException if the factory returns null, or a sign other than stopped; what
     *     it throws is thrown as it is
     */
    public static <M> BehaviorSteps<M> of(Actor<M> actor) {
        return of("actor", actor);
    }

    /**
     * Runs the factory of the definition: the first step, without a message.
     *
     * @param <M> the type of the messages
     * @param name the name of {@link #self}
     * @param actor how the actor is made
     * @return the steps, with the effects of the factory
     * @throws IllegalArgumentException if it is loop style
     * @throws IllegalStateException if the factory returns null, or a sign other than stopped
     */
    public static <M> BehaviorSteps<M> of(String name, Actor<M> actor) {
        Definition<M> definition = Definition.of(actor);
        if (definition.factory() == null) {
            throw new IllegalArgumentException(
                    name
                            + " is loop style: its body waits in receive, so it cannot be run step"
                            + " by step; spin it in an ActorSystem and use a Probe");
        }
        BehaviorSteps<M> steps = new BehaviorSteps<>(name, definition);
        steps.start();
        return steps;
    }

    /**
     * What was postponed or inserted.
     *
     * @param source null if it was told
     */
    private record Queued<M>(M message, int postponed, StepContext.@Nullable Source source) {
        StepContext.Message<M> again() {
            return source == null ? () -> message : new StepContext.Notice<>(() -> message, source);
        }

        /** It does not come again. */
        boolean isVoid() {
            return source != null && source.isRevoked();
        }
    }

    private void start() {
        isInStep = true;
        try {
            requests = new Requests<>();
            StateChange.begin(
                    sides, first(Objects.requireNonNull(definition.factory()).apply(context)));
        } catch (Exception failure) {
            fails(failure);
            throw thrownByStart(failure);
        } catch (Throwable failure) {
            fails(failure);
            throw failure;
        } finally {
            isInStep = false;
        }
        settle();
    }

    /** A factory throws no checked exception; an entry may. */
    private static RuntimeException thrownByStart(Exception failure) {
        return failure instanceof RuntimeException unchecked
                ? unchecked
                : new IllegalStateException("the entry of the first state failed", failure);
    }

    private Behavior<M> first(@Nullable Behavior<M> made) {
        boolean isStopped = made == Behavior.<M>stopped();
        if (made == null || (!isStopped && BehaviorSigns.isSign(made))) {
            throw new IllegalStateException(
                    target
                            + ": the factory returned "
                            + (made == null ? "null" : "Behavior." + made + "()")
                            + "; it returns the first behavior");
        }
        return made;
    }

    // ---------------------------------------------------------------- steps

    /**
     * Has the behavior handle the message.
     *
     * @param message the message
     * @return what the behavior returned, a sign too
     * @throws Exception what the behavior throws; the actor has failed then
     * @throws IllegalStateException if the actor is over, or the behavior returns null
     */
    public Behavior<M> run(M message) throws Exception {
        return run(message, 1);
    }

    /**
     * Has the behavior handle a message that was tried before.
     *
     * @param message the message
     * @param tries what {@link ActorContext#attempt} says, from 1 on
     * @return what the behavior returned, a sign too
     * @throws Exception what the behavior throws; the actor has failed then
     * @throws IllegalStateException if the actor is over, or the behavior returns null
     */
    public Behavior<M> run(M message, int tries) throws Exception {
        Objects.requireNonNull(message, "message");
        attempt = tries;
        try {
            return step(() -> message);
        } finally {
            attempt = 1;
        }
    }

    /**
     * Has the behavior handle a question.
     *
     * @param <R> the type of the reply
     * @param message makes the message around the address for the reply
     * @return the reply, the first if there are several
     * @throws Exception what the behavior throws
     * @throws AssertionError if it did not reply in this step
     */
    public <R> R ask(Function<Recipient<R>, ? extends M> message) throws Exception {
        Probe<R> reply = Probe.recorded(PARENT, "the asker of " + target, Probe.Recorder.NONE);
        run(message.apply(reply));
        return reply.next();
    }

    /**
     * Has the behavior handle what it told itself, or what came by its adapters and pipes, until
     * nothing is left, or it is over.
     *
     * @return how many messages that were
     * @throws Exception what the behavior throws; the rest stays queued
     * @throws AssertionError if there is no end of it after {@value #CAPACITY} messages
     */
    public int runQueued() throws Exception {
        int count = 0;
        while (reason == null && runNextQueued()) {
            if (++count > CAPACITY) {
                throw new AssertionError(
                        target
                                + " has told itself more than "
                                + CAPACITY
                                + " messages, and still does; run them one by one with runOne()");
            }
        }
        return count;
    }

    /**
     * Has the behavior handle the oldest message that it told itself.
     *
     * @throws Exception what the behavior throws
     * @throws AssertionError if nothing is queued
     */
    public void runOne() throws Exception {
        if (!runNextQueued()) {
            throw new AssertionError(target + ": expected a message to itself, but none is queued");
        }
    }

    private boolean runNextQueued() throws Exception {
        checkRuns();
        first.removeIf(Queued::isVoid);
        Queued<M> ahead = first.poll();
        if (ahead != null) {
            step(ahead.again(), ahead.postponed());
            return true;
        }
        StepContext.Message<M> next = queue.poll();
        if (next == null) {
            return false;
        }
        queued.decrementAndGet();
        if (next == stop) {
            over(new ExitReason.Normal());
        } else {
            step(next);
        }
        return true;
    }

    /**
     * {@return how many messages wait for {@link #runQueued}: those to itself, what it inserted,
     * and postponed ones that come again}
     */
    public int queued() {
        first.removeIf(Queued::isVoid);
        return queued.get() + first.size();
    }

    /** {@return the messages that are postponed until the state changes, oldest first} */
    public List<M> postponed() {
        return postponed.stream().filter(each -> !each.isVoid()).map(Queued::message).toList();
    }

    /** {@return the name of the state; null if the behavior has none} */
    public @Nullable String state() {
        return StateBehavior.nameOf(behavior);
    }

    private Behavior<M> step(StepContext.Message<M> made) throws Exception {
        return step(made, 0);
    }

    private Behavior<M> step(StepContext.Message<M> made, int postponedBefore) throws Exception {
        checkRuns();
        Behavior<M> now = Objects.requireNonNull(behavior, "behavior");
        Behavior<M> next;
        isInStep = true;
        try {
            if (made instanceof StepContext.Notice<M> notice) {
                source = notice.source();
                source.postponed(false);
            }
            requests.clear();
            requests.postponedBefore(postponedBefore);
            context.stepTimers().begins(source);
            M message = Objects.requireNonNull(made.make(), "the message that a function made");
            current = message;
            next = checked(now.onMessage(message), message);
            StateChange.apply(sides, now, next);
        } catch (Throwable failure) {
            isOverInHand();
            fails(failure);
            throw failure;
        } finally {
            isInStep = false;
            isOverInHand();
        }
        context.stepTimers().completed();
        settle();
        return next;
    }

    /** The message in hand is over. */
    private void isOverInHand() {
        StepContext.Source done = source;
        source = null;
        current = null;
        if (done != null) {
            done.done();
        }
    }

    private Behavior<M> checked(@Nullable Behavior<M> next, M message) {
        if (next == null) {
            throw new IllegalStateException(
                    target
                            + ": the behavior returned null for "
                            + message
                            + "; return Behavior.same(), or the next behavior");
        }
        return next;
    }

    private void checkRuns() {
        if (reason != null) {
            throw new IllegalStateException(
                    target + " is over: " + reason + "; after a failure restart() begins it again");
        }
    }

    // ---------------------------------------------------------------- timers

    /**
     * Has the timer go off now, whenever it is due.
     *
     * @param timer its name
     * @return what the behavior returned for its message
     * @throws Exception what the behavior throws
     * @throws AssertionError if there is no active timer of the name; it names those there are
     */
    public Behavior<M> fire(String timer) throws Exception {
        checkRuns();
        return fire(context.stepTimers().named(timer));
    }

    /**
     * Has the timer go off that is due first; the time goes on to when it is.
     *
     * @return what the behavior returned for its message
     * @throws Exception what the behavior throws
     * @throws AssertionError if no timer is active
     */
    public Behavior<M> fireNext() throws Exception {
        checkRuns();
        StepTimers<M>.Entry first = context.stepTimers().earliest(Long.MAX_VALUE);
        if (first == null) {
            throw new AssertionError(target + ": expected an active timer, but there is none");
        }
        context.stepTimers().moveTo(first.dueNs());
        return fire(first);
    }

    /**
     * Lets the time of the timers go on: those that are due go off, in order. What is queued waits
     * all the same; where that comes between two timers, pass a shorter time.
     *
     * @param time how far
     * @return how many messages of timers that were
     * @throws Exception what the behavior throws
     * @throws IllegalArgumentException if the time is negative
     */
    public int pass(Duration time) throws Exception {
        checkRuns();
        StepTimers<M> timers = context.stepTimers();
        long untilNs = timers.after(Waits.nanos(time));
        int count = 0;
        while (reason == null) {
            StepTimers<M>.Entry first = timers.earliest(untilNs);
            if (first == null) {
                break;
            }
            timers.moveTo(first.dueNs());
            fire(first);
            count++;
        }
        timers.moveTo(untilNs);
        return count;
    }

    private Behavior<M> fire(StepTimers<M>.Entry timer) throws Exception {
        timer.goesOff();
        return step(new StepContext.Notice<>(() -> timer.message, timer));
    }

    // ---------------------------------------------------------------- the ends of others

    /**
     * Tells the behavior that an actor that it monitors is over, as all its monitors of it say.
     * They are over then.
     *
     * @param actor the other actor
     * @param why the reason
     * @throws Exception what the behavior throws
     * @throws AssertionError if it does not monitor the actor; it names those that it does
     */
    public void down(ActorRef<?> actor, ExitReason why) throws Exception {
        down(new Down(actor, why), true);
    }

    /**
     * Tells the behavior that an incarnation of an actor is over and will be followed by another
     * one, as its monitors of each incarnation say.
     *
     * @param actor the other actor
     * @param why the reason
     * @throws Exception what the behavior throws
     * @throws AssertionError if it does not monitor each incarnation of the actor
     */
    public void incarnationDown(ActorRef<?> actor, ExitReason why) throws Exception {
        down(new Down(actor, why), false);
    }

    private void down(Down down, boolean isLast) throws Exception {
        checkRuns();
        for (StepContext.Message<M> message : context.down(down, isLast)) {
            step(message);
        }
    }

    /**
     * Tells the behavior that an actor that it is linked to has ended: by a message if it traps
     * exits; otherwise it ends for the same reason, unless that is normal.
     *
     * @param actor the other actor
     * @param why the reason
     * @throws Exception what the behavior throws
     * @throws AssertionError if it is not linked to the actor; it names those that it is
     */
    public void exit(ActorRef<?> actor, ExitReason why) throws Exception {
        checkRuns();
        StepContext.Message<M> message = context.exit(new Exit(actor, why));
        if (message != null) {
            step(message);
        } else if (!(why instanceof ExitReason.Normal)) {
            over(why);
        }
    }

    // ---------------------------------------------------------------- its own end

    /**
     * Ends the actor from outside, or gives it up after a failure. Its end hooks run, the last made
     * first, if they have not.
     *
     * @param why the reason that the hooks get; after a failure they get that
     * @throws AssertionError if a hook fails, and the actor did not
     */
    public void end(ExitReason why) {
        ExitReason last = reason == null ? Objects.requireNonNull(why, "why") : reason;
        reason = last;
        endHooks(last); // also those of a state that was kept, because it is given up now
        target.over(last);
    }

    /**
     * Starts the actor again after a failure or a kill, as a supervisor does: from the factory, or,
     * with {@link Actor#keepState}, with the last behavior, its timers and its monitors.
     *
     * @throws IllegalStateException if it did not fail, or was given up
     */
    public void restart() {
        ExitReason before = reason;
        if (before == null || !before.isFailure() || target.reason() != null) {
            throw new IllegalStateException(
                    target + " did not fail: " + (before == null ? "it runs" : before));
        }
        reason = null;
        if (!definition.keepsState() || behavior == null) {
            context = new StepContext<>(sides);
            start();
        }
    }

    /** What the step has brought about, now that it is done. */
    private void settle() {
        ExitReason asked = endAsked;
        endAsked = null;
        if (behavior == Behavior.<M>stopped()) {
            over(new ExitReason.Normal());
        } else if (asked != null) {
            over(asked);
        }
    }

    private void fails(Throwable failure) {
        endAsked = null;
        reason = new ExitReason.Failed(failure);
        context.failed();
        context.stepTimers().failed();
        if (!definition.keepsState()) {
            context.end(reason).forEach(failure::addSuppressed);
        }
    }

    private void over(ExitReason why) {
        reason = why;
        boolean mayGoOn = why.isFailure() && definition.keepsState() && target.reason() == null;
        if (mayGoOn) {
            context.failed();
        } else {
            endHooks(why);
        }
        if (!why.isFailure()) {
            target.over(why);
        }
    }

    private void endHooks(ExitReason why) {
        List<Throwable> failures;
        isInStep = true;
        try {
            failures = context.end(why);
        } finally {
            isInStep = false;
            endAsked = null; // it is over already
        }
        Throwable failed = why.failure();
        if (failed != null) {
            failures.forEach(failed::addSuppressed);
        } else if (!failures.isEmpty()) {
            AssertionError error =
                    new AssertionError(
                            target + ": a hook of its end failed: " + failures.getFirst(),
                            failures.getFirst());
            failures.stream().skip(1).forEach(error::addSuppressed);
            throw error;
        }
    }

    /** {@return whether it has stopped, was ended, or has failed} */
    public boolean isOver() {
        return reason != null;
    }

    /** {@return why it is over; null while it is not} */
    public @Nullable ExitReason reason() {
        return reason;
    }

    // ---------------------------------------------------------------- what it did

    /** {@return its address; messages wait for {@link #runQueued}} */
    public ActorRef<M> self() {
        return target.ref;
    }

    /**
     * {@return the behavior for the next message}
     *
     * @throws IllegalStateException if there is none, because its factory failed
     */
    public Behavior<M> behavior() {
        if (behavior == null) {
            throw new IllegalStateException(target + " has no behavior: " + reason);
        }
        return behavior;
    }

    /**
     * {@return a probe to be given to the behavior, whose messages are effects too} Its
     * expectations do not wait.
     *
     * @param <R> the type of its messages
     * @param name its name
     */
    public <R> Probe<R> probe(String name) {
        return Probe.recorded(PARENT, name, sides);
    }

    /**
     * {@return the probe that stands for a child}
     *
     * @param <C> the type of the child's messages
     * @param child its address, from {@link Effect.Spun} or the behavior
     * @throws AssertionError if the running incarnation has no such child; it names those there are
     */
    @SuppressWarnings("unchecked") // the probe of the ref takes what the ref does
    public <C> Probe<C> child(ActorRef<C> child) {
        for (Probe<?> each : context.childProbes().values()) {
            if (each.ref().equals(child)) {
                return (Probe<C>) each;
            }
        }
        throw noChild(child);
    }

    /**
     * {@return the probe that stands for a child}
     *
     * @param name the child's name; of several the last
     * @throws AssertionError if the running incarnation has no such child; it names those there are
     */
    public Probe<?> child(String name) {
        Probe<?> child = context.childProbes().get(name);
        if (child == null) {
            throw noChild(name);
        }
        return child;
    }

    private AssertionError noChild(Object child) {
        return new AssertionError(
                target
                        + " has no child "
                        + child
                        + "; its children: "
                        + context.childProbes().keySet());
    }

    /** {@return the effects that were not taken yet, in their order; they are taken then} */
    public List<Effect> effects() {
        synchronized (effects) {
            List<Effect> all = List.copyOf(effects);
            effects.clear();
            return all;
        }
    }

    /**
     * Takes the next effect, which is to be equal to the one given.
     *
     * @param effect what is expected
     * @throws AssertionError if it is another one, or there is none
     */
    public void expectEffect(Effect effect) {
        nextEffect(effect.toString(), effect::equals);
    }

    /**
     * Takes the next effect, which is to be of the type.
     *
     * @param <E> the type
     * @param type the type
     * @return the effect
     * @throws AssertionError if it is of another type, or there is none
     */
    public <E extends Effect> E expectEffect(Class<E> type) {
        return type.cast(nextEffect("an effect of " + type.getSimpleName(), type::isInstance));
    }

    /**
     * Fails if there is an effect that was not taken.
     *
     * @throws AssertionError if there is one
     */
    public void expectNoEffects() {
        synchronized (effects) {
            if (!effects.isEmpty()) {
                throw new AssertionError(
                        target + ": expected no effects, but there are " + effects);
            }
        }
    }

    private Effect nextEffect(String what, Predicate<Effect> wanted) {
        synchronized (effects) {
            if (effects.isEmpty() || !wanted.test(effects.getFirst())) {
                throw new AssertionError(
                        target
                                + ": expected "
                                + what
                                + (effects.isEmpty()
                                        ? ", but there is none"
                                        : ", but the next ones are " + effects));
            }
            return effects.removeFirst();
        }
    }

    @Override
    public String toString() {
        return "steps of " + target;
    }

    /** What the context, the actor's own address, and the probes of its children tell. */
    private final class Sides
            implements StepContext.Steps<M>, StateChange.Host<M>, ProbeTarget.Sink, Probe.Recorder {
        @Override
        public ActorRef<M> self() {
            return target.ref;
        }

        @Override
        public int attempt() {
            return attempt;
        }

        @Override
        public Requests<M> requests(String caller) {
            if (current == null && !requests.isEntering()) {
                throw new IllegalStateException(
                        caller
                                + " of "
                                + target
                                + " was called outside a message; call it where the behavior"
                                + " handles one, or in the entry of a state");
            }
            return requests;
        }

        @Override
        public void postpone() {
            requests("postpone").postpone(target, StateBehavior.nameOf(behavior));
        }

        @Override
        public int countPostponed() {
            postponed.removeIf(Queued::isVoid);
            return postponed.size();
        }

        private boolean hasRoomToPostpone() {
            return countPostponed() < definition.mailbox().maxPostponed();
        }

        // ---- changes of the state

        @Override
        public Object named() {
            return target;
        }

        @Override
        public Requests<M> requestsOrNull() {
            return requests;
        }

        @Override
        public Requests<M> requests() {
            return requests;
        }

        @Override
        public void becomes(Behavior<M> next) {
            behavior = next;
        }

        @Override
        public void unhandled() {
            // Where it matters what the message was, the test has it.
        }

        @Override
        public void checkPostponed() {
            MailboxOptions options = definition.mailbox();
            if (options.postponedOverflow() == Overflow.FAIL && !hasRoomToPostpone()) {
                postponed.clear();
                throw Requests.tooMany(
                        target, StateBehavior.nameOf(behavior), options.maxPostponed());
            }
        }

        /** Whether the message is to be postponed, maybe in place of an older one. */
        private boolean makesRoomToPostpone() {
            return source != null
                    || hasRoomToPostpone()
                    || (definition.mailbox().postponedOverflow() == Overflow.DROP_OLD
                            && removeOldestPostponed());
        }

        private boolean removeOldestPostponed() {
            for (Queued<M> each : postponed) {
                if (each.source() == null) {
                    return postponed.remove(each);
                }
            }
            return false;
        }

        @Override
        public void postponed(int times, boolean isLasting) {
            if (isLasting && !makesRoomToPostpone()) {
                current = null; // a dead letter
                return;
            }
            M message = Objects.requireNonNull(current);
            if (source != null) {
                source.postponed(true);
            }
            postponed.add(new Queued<>(message, times, source));
            current = null; // it is queued again
            source = null;
            add(new Effect.Postponed(message));
        }

        @Override
        public void changed() {
            context.stepTimers().end(Effect.TimerKind.STATE, null);
            while (!postponed.isEmpty()) {
                first.addFirst(postponed.removeLast());
            }
        }

        @Override
        public void insert(List<M> messages) {
            messages.forEach(each -> add(new Effect.Inserted(each)));
            messages.reversed().forEach(each -> first.addFirst(new Queued<>(each, 0, null)));
        }

        @Override
        public void stateTimeout(Requests.Timeout<M> timeout) {
            context.stepTimers().set(Effect.TimerKind.STATE, timeout);
        }

        @Override
        public void completed() {
            isOverInHand();
        }

        @Override
        public void idleTimeout(Requests.Timeout<M> timeout) {
            context.stepTimers().set(Effect.TimerKind.IDLE, timeout);
        }

        @Override
        public void add(Effect effect) {
            if (isInStep) { // what the test itself tells is no effect of the behavior
                synchronized (effects) {
                    effects.add(effect);
                }
            }
        }

        @Override
        public void queue(StepContext.Message<M> message) {
            if (queued.incrementAndGet() > CAPACITY) {
                queued.decrementAndGet();
                throw new MailboxFullException(target + " has " + CAPACITY + " messages queued");
            }
            queue.add(message);
        }

        @Override
        public <C> Probe<C> newChild(String name) {
            return Probe.recorded(target.ref.path(), name, this);
        }

        // ---- the actor's own address

        @Override
        @SuppressWarnings("unchecked") // told as M
        public void told(Object message) {
            told(target.ref, message);
            queue(() -> (M) message);
        }

        @Override
        public void failed(Throwable failure) {
            failed(target.ref, failure);
        }

        @Override
        public boolean ended(ExitReason why) {
            ended(target.ref, why);
            if (why instanceof ExitReason.Normal) {
                queue(stop);
            } else if (isInStep) {
                endAsked = why;
            } else if (reason == null) {
                over(why);
            }
            return false; // the steps say when it is over
        }

        @Override
        public MailboxSnapshot mailbox() {
            int all = queued.get() + first.size() + postponed.size();
            return new MailboxSnapshot(all, CAPACITY, List.of());
        }

        // ---- probes

        @Override
        public void told(ActorRef<?> to, Object message) {
            add(new Effect.Told(to, message));
        }

        @Override
        public void failed(ActorRef<?> to, Throwable failure) {
            add(new Effect.ToldFailure(to, failure));
        }

        @Override
        public void ended(ActorRef<?> actor, ExitReason why) {
            add(new Effect.Stopped(actor, why));
        }
    }
}
