package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.internal.context.Contexts;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

/** The calls of supervisors to their system; from any thread. */
public interface SupervisorHost {
    /**
     * {@return a new actor, not yet started}
     *
     * @param name null for one without a name of its own
     * @param spec null if it was spun
     */
    <M> SupervisedActor<M> actor(
            @Nullable String name,
            Cord cord,
            Actor<M> actor,
            Supervising supervisor,
            @Nullable ChildSpec<?> spec);

    /** {@return the first of so many numbers that no other actor has} */
    long nextNumbers(int count);

    /** Refuses to start this if the system is over. */
    void checkOpen(Object what);

    /** The cord of the next actor of a supervisor that spreads its actors. */
    Cord nextCord();

    /** {@return the carrier of contexts; null if the system carries none} */
    default @Nullable Contexts contexts() {
        return null;
    }

    /** From now on nothing is started. */
    void rootHasEnded();
}
