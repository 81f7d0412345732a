package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.internal.Definition;
import dev.ropewalk.actors.internal.SteppedActor;
import dev.ropewalk.actors.internal.behavior.StateBehavior;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.internal.observe.TimerKind;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Runs a handler-style actor step by step: a step is one message. The actor is a real one, with its
 * mailbox, timers, hooks and restarts, on a virtual cord of its own that goes on when a step is
 * made, and only then. The behavior's actions are kept as {@link Effect}s; its children are {@link
 * Probe}s, its timers go off by hand, and its messages to itself wait for {@link #runQueued}. So do
 * the messages that a state machine inserts, and those that it postponed and gets again: an actor
 * handles these before all other messages, so call it behind a step that changes the state.
 *
 * {@snippet file="dev/ropewalk/actors/testing/ActorTestingSnippetsTest.java" region="steps"}
 *
 * <p>For one thread or fiber at a time, but for the addresses. A behavior may sleep or ask: the
 * virtual time of the steps goes on until it has what it waits for, and if nothing can bring that,
 * the step fails with a {@link dev.ropewalk.fibers.DeadlockException}. A {@link #probe} that is to
 * be asked needs {@link Probe#answer}. The ends of other actors are told by {@link #down} and
 * {@link #exit}. To test mailboxes, supervision or several cords, use real actors and a {@link
 * Probe}.
 *
 * <p>The behavior runs on a thread of the steps, while the caller waits: it sees neither the
 * caller's cord nor its thread-locals.
 *
 * @param <M> the type of the messages
 */
public final class BehaviorSteps<M> {
    /** How many messages to itself may queue, and how many {@link #runQueued} handles. */
    public static final int CAPACITY = 100_000;

    private static final String PARENT = "steps";

    private final Sides sides = new Sides();
    private final ProbeTarget<M> target;
    private final SteppedActor<M> actor;
    private final List<Effect> effects = new ArrayList<>();

    /** Of what the last start made; null before the first. */
    private @Nullable RecordingContext<M> context;

    private BehaviorSteps(String name, Definition<M> definition) {
        this.target = ProbeTarget.ofSteps(PARENT, name, sides);
        this.actor =
                new SteppedActor<>(
                        PARENT,
                        name,
                        definition.around(
                                factory -> self -> factory.apply(recorded(self)), body -> body),
                        sides);
    }

    private ActorContext<M> recorded(ActorContext<M> self) {
        RecordingContext<M> next =
                new RecordingContext<>(self, actor, target.ref, sides, sides::add);
        context = next;
        return next;
    }

    private RecordingContext<M> context() {
        return Objects.requireNonNull(context, "context");
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

    private void start() {
        try {
            actor.start();
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Exception failure) { // a factory throws none that is checked; an entry may
            throw new IllegalStateException("the entry of the first state failed", failure);
        } finally {
            settle();
        }
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
        if (tries < 1) {
            throw new IllegalArgumentException("tries=" + tries + "; the first try is 1");
        }
        return step(() -> actor.handle(message, tries));
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
        int count = step(() -> actor.handleAll(CAPACITY));
        if (count > CAPACITY) {
            throw new AssertionError(
                    target
                            + " has told itself more than "
                            + CAPACITY
                            + " messages, and still does; run them one by one with runOne()");
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
        if (!step(actor::handleNext)) {
            throw new AssertionError(target + ": expected a message to itself, but none is queued");
        }
    }

    /**
     * {@return how many messages wait for {@link #runQueued}: those to itself, what it inserted,
     * and postponed ones that come again}
     */
    public int queued() {
        return actor.queued();
    }

    /** {@return the messages that are postponed until the state changes, oldest first} */
    public List<M> postponed() {
        return actor.postponed();
    }

    /** {@return the name of the state; null if the behavior has none} */
    public @Nullable String state() {
        return StateBehavior.nameOf(actor.behavior());
    }

    private <T> T step(Callable<T> step) throws Exception {
        checkRuns();
        T result;
        try {
            result = step.call();
        } catch (Throwable failure) {
            settle();
            throw failure;
        }
        settle();
        throwBroken();
        return result;
    }

    private void checkRuns() {
        ExitReason why = actor.reason();
        if (why != null) {
            throw new IllegalStateException(
                    target + " is over: " + why + "; after a failure restart() begins it again");
        }
    }

    /** Those that wait for its end hear of it. */
    private void settle() {
        ExitReason why = actor.reason();
        if (why != null && actor.isOver()) {
            target.over(why);
        }
    }

    private void throwBroken() {
        List<Throwable> broken = actor.takeBroken();
        if (!broken.isEmpty()) {
            AssertionError error =
                    new AssertionError(
                            target + ": a hook of its end failed: " + broken.getFirst(),
                            broken.getFirst());
            broken.stream().skip(1).forEach(error::addSuppressed);
            throw error;
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
        checkMayFire(Objects.requireNonNull(timer, "timer"));
        return step(() -> actor.fire(timer));
    }

    private void checkMayFire(String timer) {
        List<SteppedActor.SetTimer> active = actor.timers();
        for (SteppedActor.SetTimer each : active) {
            if (timer.equals(each.name())) {
                if (each.isPending()) {
                    throw new AssertionError(
                            each + " does not go off again while its message is postponed");
                }
                return;
            }
        }
        throw new AssertionError("no timer " + timer + " is active; active: " + active);
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
        return step(
                () -> {
                    Behavior<M> next = actor.fireNext();
                    if (next == null) {
                        throw new AssertionError(
                                target + ": expected an active timer, but there is none");
                    }
                    return next;
                });
    }

    /**
     * Lets the time of the timers go on: those that are due go off, in order. Queued messages wait
     * all the same; where one comes between two timers, pass a shorter time.
     *
     * @param time how far
     * @return how many messages of timers that were
     * @throws Exception what the behavior throws
     * @throws IllegalArgumentException if the time is negative
     */
    public int pass(Duration time) throws Exception {
        checkRuns();
        long nanos = Waits.nanos(time);
        return step(() -> actor.pass(nanos));
    }

    // ---------------------------------------------------------------- the ends of others

    /**
     * Tells the behavior that an actor that it monitors is over, as all its monitors of it say.
     * They are over then.
     *
     * @param other the other actor
     * @param why the reason
     * @throws Exception what the behavior throws
     * @throws AssertionError if it does not monitor the actor; it names those that it does
     */
    public void down(ActorRef<?> other, ExitReason why) throws Exception {
        down(new Down(other, why), true);
    }

    /**
     * Tells the behavior that an incarnation of an actor is over and will be followed by another
     * one, as its monitors of each incarnation say.
     *
     * @param other the other actor
     * @param why the reason
     * @throws Exception what the behavior throws
     * @throws AssertionError if it does not monitor each incarnation of the actor
     */
    public void incarnationDown(ActorRef<?> other, ExitReason why) throws Exception {
        down(new Down(other, why), false);
    }

    private void down(Down down, boolean isLast) throws Exception {
        checkRuns();
        for (WatchedTarget<?> each : context().watching(down.actor(), isLast)) {
            DownListener monitor = each.listener();
            if (monitor != null && actor.reason() == null) { // one before may have cancelled it
                step(() -> actor.down(monitor, down));
            }
        }
    }

    /**
     * Tells the behavior that an actor that it is linked to has ended: by a message if it traps
     * exits; otherwise it ends for the same reason, unless that is normal.
     *
     * @param other the other actor
     * @param why the reason
     * @throws Exception what the behavior throws
     * @throws AssertionError if it is not linked to the actor; it names those that it is
     */
    public void exit(ActorRef<?> other, ExitReason why) throws Exception {
        checkRuns();
        List<ActorRef<?>> linked = actor.linked();
        if (!linked.contains(other)) {
            throw new AssertionError(
                    target + " is not linked to " + other + "; it is linked to " + linked);
        }
        step(() -> actor.exit(other, why));
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
        actor.endFor(Objects.requireNonNull(why, "why"));
        settle();
        throwBroken();
    }

    /**
     * Starts the actor again after a failure or a kill, as a supervisor does: from the factory, or,
     * with {@link Actor#keepState}, with the last behavior, its timers and its monitors.
     *
     * @throws IllegalStateException if it did not fail, or was given up
     */
    public void restart() {
        if (!actor.mayRestart()) {
            ExitReason before = actor.reason();
            throw new IllegalStateException(
                    target + " did not fail: " + (before == null ? "it runs" : before));
        }
        start();
    }

    /** {@return whether it has stopped, was ended, or has failed} */
    public boolean isOver() {
        return actor.reason() != null;
    }

    /** {@return why it is over; null while it is not} */
    public @Nullable ExitReason reason() {
        return actor.reason();
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
        Behavior<M> now = actor.behavior();
        if (now == null) {
            throw new IllegalStateException(target + " has no behavior: " + actor.reason());
        }
        return now;
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
        for (Probe<?> each : context().childProbes().values()) {
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
        Probe<?> child = context().childProbes().get(name);
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
                        + context().childProbes().keySet());
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

    /** The actor's actions, the actor's own address, and the messages to the probes. */
    private final class Sides implements Tap, ProbeTarget.Sink, Probe.Recorder {
        void add(Effect effect) {
            if (actor.isInStep()) { // what the test itself tells is no effect of the behavior
                synchronized (effects) {
                    effects.add(effect);
                }
            }
        }

        // ---- what the actor does

        @Override
        public boolean in(Object message) {
            return true;
        }

        @Override
        public void out(Object message, String to) {}

        @Override
        public void postponed(Object message) {
            add(new Effect.Postponed(message));
        }

        @Override
        public void inserted(Object message) {
            add(new Effect.Inserted(message));
        }

        @Override
        public void timerSet(@Nullable String name, TimerKind kind, Duration time, Object message) {
            Effect.TimerKind told = Effect.TimerKind.valueOf(kind.name());
            add(new Effect.TimerSet(name, told, time, message));
        }

        @Override
        public void timerCancelled(@Nullable String name, Object message) {
            add(new Effect.TimerCancelled(name, message));
        }

        // ---- the actor's own address

        @Override
        @SuppressWarnings("unchecked") // told as M
        public void told(Object message) {
            told(target.ref, message);
            if (!actor.tell((M) message, CAPACITY)) {
                throw new MailboxFullException(target + " has " + CAPACITY + " messages queued");
            }
        }

        @Override
        public void failed(Throwable failure) {
            failed(target.ref, failure);
        }

        @Override
        public boolean ended(ExitReason why) {
            ended(target.ref, why);
            actor.endAs(why);
            settle();
            return false; // the steps say when it is over
        }

        @Override
        public MailboxSnapshot mailbox() {
            return actor.mailbox(CAPACITY);
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
        public void ended(ActorRef<?> other, ExitReason why) {
            add(new Effect.Stopped(other, why));
        }
    }
}
