package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ActorKilledException;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.observe.FailureReport;
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

    /** A supervisor's report on the end of its child; null if that is no failure. */
    static @Nullable FailureReport report(SupervisorEvent.Ended ended) {
        Supervised what = ended.child().what;
        Throwable failure = failure(what.address(), ended.reason());
        FailureReport own = ended.report();
        return own == null && failure != null ? report(what, failure) : own;
    }

    /** Of what failed outside an incarnation. */
    public static FailureReport report(Supervised what, Throwable failure) {
        String cord = what.cord().name();
        return what instanceof SupervisedActor<?> actor
                ? new FailureReport(actor.ref().path(), actor.ref().number(), cord, failure)
                : new FailureReport(what.address().toString(), 0, cord, failure);
    }

    /** In words, for those that wait for a start or a reply. */
    static String why(ExitReason reason) {
        return switch (reason) {
            case ExitReason.Normal() -> "it stopped";
            case ExitReason.Shutdown(String why) -> why;
            case ExitReason.Failed(Throwable cause) -> cause.toString();
            case ExitReason.Killed() -> "it was killed";
            case ExitReason.NoActor() -> "an actor that it was linked to had ended";
            case ExitReason.Unreachable(String node) ->
                    "an actor that it was linked to is on node " + node + ", which is unreachable";
        };
    }
}
