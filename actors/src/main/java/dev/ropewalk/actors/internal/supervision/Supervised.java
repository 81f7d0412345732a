package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.internal.observe.Observed;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** An actor or supervisor that the supervisor above it starts, ends and starts again. */
public interface Supervised extends Observed {
    String name();

    /** {@return what logs and listeners call it} Printed only if they do. */
    Object address();

    /** The record that its supervisor has of it. */
    Child child();

    RestartRule restartRule();

    /** {@return what is below it at this path, null if there is nothing} From any thread. */
    @Nullable Supervised lookUp(String below);

    /**
     * {@return the handler of the next incarnation}
     *
     * @param start how it starts; null if at once, and nobody waits
     */
    Handler incarnation(@Nullable Start start);

    /**
     * Asks the incarnation to end; from the supervisor's cord. Does not wait.
     *
     * @param isLast whether it is known that no other one follows
     */
    void stop(Fiber<?> incarnation, boolean isLast);

    /** Its stop limit begins to run, if an incarnation runs; from the supervisor's cord. */
    void limitEnd();

    /**
     * {@return the handler of a fiber that does what its kept state has left to do, because no
     * incarnation goes on with it} Its end is told with {@code SupervisorEvent.Phase.STATE_ENDED}.
     *
     * @param reason what the end hooks are told
     */
    Handler stateEnd(ExitReason reason);

    /** Asks it to end as a failure does; from the supervisor's cord. */
    void kill();

    /** Asks it to end when it is done with what it was told; from any thread. */
    void drain();

    /** It was started again while it drained. */
    void drainAgain();

    /** How long {@link #stop} may take. */
    Duration stopLimit(Supervision rules);

    /** The last incarnation ended for itself, and not because its supervisor did. */
    boolean isOverByItself();

    /** It is not started again; from any thread, when no incarnation runs. */
    void end(ExitReason reason);
}
