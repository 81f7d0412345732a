package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

/** The supervisor as what it supervises sees it; the other side of {@link Supervised}. */
public interface Supervising {
    String path();

    SupervisorHost host();

    Supervision rules();

    /** {@return a number that no other actor of the system has} From any thread. */
    long nextNumber();

    /** Of actors that have none of their own. */
    RestartRule restartRuleOfActors();

    /** From any thread. */
    void post(SupervisorEvent event);

    /** Tells the listener of failures; from any thread. */
    void report(FailureReport report);

    /** The child did not become one, or is none any more; from any thread. */
    void releaseName(Child child);

    /** It ends, no other incarnation follows, and its children go with it; from any thread. */
    boolean endsForGood();

    /** It is over, and is not started again; from any thread. */
    boolean isGone();

    /** Whether it waits for the end of this child, or of what is above it; from any thread. */
    boolean awaitsEndOf(Child child);

    /** The supervisor above, or that of the actor whose children these are; null for a root. */
    @Nullable Supervising above();
}
