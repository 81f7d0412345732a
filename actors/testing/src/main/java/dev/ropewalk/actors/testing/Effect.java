package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ExitReason;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** An action of a behavior besides its return; {@link BehaviorSteps} keeps them in their order. */
public sealed interface Effect {
    /**
     * It told a message to itself, to one of its children, or to a {@link BehaviorSteps#probe}.
     *
     * @param to the address
     * @param message the message
     */
    record Told(ActorRef<?> to, Object message) implements Effect {}

    /**
     * It told a failure in place of a message.
     *
     * @param to the address
     * @param failure why there is no message
     */
    record ToldFailure(ActorRef<?> to, Throwable failure) implements Effect {}

    /**
     * It started an actor below itself.
     *
     * @param name the child's name
     * @param actor how the child is made
     * @param ref the child's address, behind which there is a probe
     */
    record Spun(String name, Actor<?> actor, ActorRef<?> ref) implements Effect {}

    /**
     * It ended an actor by its address, or asked for its own end.
     *
     * @param actor the address
     * @param reason normal for a stop, shutdown for a termination, killed for a kill
     */
    record Stopped(ActorRef<?> actor, ExitReason reason) implements Effect {}

    /**
     * It monitors an actor.
     *
     * @param actor the other actor
     * @param ofEach whether each incarnation of it
     */
    record Watched(ActorRef<?> actor, boolean ofEach) implements Effect {}

    /**
     * It cancelled a monitor.
     *
     * @param actor the actor that was monitored
     */
    record Unwatched(ActorRef<?> actor) implements Effect {}

    /**
     * It linked itself to an actor.
     *
     * @param actor the other actor
     */
    record Linked(ActorRef<?> actor) implements Effect {}

    /**
     * It took a link away.
     *
     * @param actor the other actor
     */
    record Unlinked(ActorRef<?> actor) implements Effect {}

    /** It traps exits from now on. */
    record TrappedExits() implements Effect {}

    /** How a timer goes off. */
    enum TimerKind {
        /** Once. */
        ONCE,
        /** Again and again, with the time between the end of a message and the next. */
        FIXED_DELAY,
        /** Again and again, at multiples of the time. */
        FIXED_RATE,
        /** Once, unless the state changes before. */
        STATE,
        /** Once, unless another message comes before. */
        IDLE
    }

    /**
     * It postponed the message in hand until the state changes.
     *
     * @param message the message
     */
    record Postponed(Object message) implements Effect {}

    /**
     * It inserted a message that comes next.
     *
     * @param message the message
     */
    record Inserted(Object message) implements Effect {}

    /**
     * It set a timer.
     *
     * @param name the timer's name; null if it has none
     * @param kind how it goes off
     * @param time after how long
     * @param message what it sends
     */
    record TimerSet(@Nullable String name, TimerKind kind, Duration time, Object message)
            implements Effect {}

    /**
     * It cancelled a timer.
     *
     * @param name the timer's name; null if it has none
     * @param message what it would have sent
     */
    record TimerCancelled(@Nullable String name, Object message) implements Effect {}
}
