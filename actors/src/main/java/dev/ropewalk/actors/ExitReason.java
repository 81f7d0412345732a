package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

/**
 * Why an actor, or one of its incarnations, is over. The reasons and their consequences are those
 * of Erlang/OTP.
 */
public sealed interface ExitReason {
    /** It returned, or stopped itself, or came to the stop that it was told. */
    record Normal() implements ExitReason {}

    /**
     * It was ended in an orderly way: by {@link ActorRef#terminate}, by its supervisor, or with it.
     *
     * @param why in words
     */
    record Shutdown(String why) implements ExitReason {}

    /**
     * It ended by a failure.
     *
     * @param cause its exception, or the exception of an actor that it was linked to
     */
    record Failed(Throwable cause) implements ExitReason {}

    /** It was killed, or linked to an actor that was. */
    record Killed() implements ExitReason {}

    /** There was no such actor any more when it was linked to or monitored. */
    record NoActor() implements ExitReason {}

    /**
     * It is of another node, and the session with that node has ended: whether the actor has ended
     * too is not known.
     *
     * @param node the name of the node
     */
    record Unreachable(String node) implements ExitReason {}

    /** {@return whether it is neither {@link Normal} nor {@link Shutdown}} */
    default boolean isFailure() {
        return !(this instanceof Normal || this instanceof Shutdown);
    }

    /** {@return what was thrown if it {@link Failed}, otherwise null} */
    default @Nullable Throwable failure() {
        return this instanceof Failed(Throwable cause) ? cause : null;
    }
}
