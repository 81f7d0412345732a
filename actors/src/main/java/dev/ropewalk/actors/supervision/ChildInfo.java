package dev.ropewalk.actors.supervision;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

/**
 * A child of a supervisor at a moment.
 *
 * @param id its name
 * @param actor its address; null for a supervisor
 * @param supervisor the supervisor; null for an actor
 * @param state what the supervisor makes of it
 * @param restart when it is started again
 * @param isSignificant whether its end counts for {@link AutoShutdown}
 */
public record ChildInfo(
        String id,
        @Nullable ActorRef<?> actor,
        @Nullable Supervisor supervisor,
        State state,
        RestartRule restart,
        boolean isSignificant) {
    /** A supervisor's view of a child. */
    public enum State {
        /** It was started, and is not over. */
        UP,
        /** It is down, and is to be started again; or its start is awaited. */
        RESTARTING,
        /** It was asked to end. */
        STOPPING,
        /** It is over; its supervisor starts it again when it is asked to. */
        STOPPED
    }
}
