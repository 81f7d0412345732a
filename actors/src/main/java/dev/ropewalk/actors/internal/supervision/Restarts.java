package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ActorKilledException;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

/** Which ends are followed by a restart, and how a failure is told. */
public final class Restarts {
    private Restarts() {}

    public static boolean follow(RestartRule rule, ExitReason reason) {
        return switch (rule) {
            case PERMANENT -> true;
            case TRANSIENT -> reason.isFailure();
            case TEMPORARY -> false;
        };
    }

    /** The failure for a listener; null if the reason is none. */
    public static @Nullable Throwable failure(Object name, ExitReason reason) {
        if (!reason.isFailure()) {
            return null;
        }
        if (reason instanceof ExitReason.Failed(Throwable cause)) {
            return cause;
        }
        if (reason instanceof ExitReason.Killed) {
            return new ActorKilledException(name + " was killed, or linked to one that was");
        }
        return new IllegalStateException(name + " was linked to an actor that had ended");
    }

    /** In words, for those that wait for a start or a reply. */
    static String why(ExitReason reason) {
        return switch (reason) {
            case ExitReason.Normal() -> "it stopped";
            case ExitReason.Shutdown(String why) -> why;
            case ExitReason.Failed(Throwable cause) -> cause.toString();
            case ExitReason.Killed() -> "it was killed";
            case ExitReason.NoActor() -> "an actor that it was linked to had ended";
        };
    }
}
