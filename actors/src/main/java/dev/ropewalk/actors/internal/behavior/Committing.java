package dev.ropewalk.actors.internal.behavior;

import dev.ropewalk.actors.ActorContext;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Callable;

/** A context whose actor commits what a message returns; implemented by all of handler style. */
public interface Committing {
    /**
     * Runs the action when the message in hand has completed, and never if it fails. On the actor's
     * fiber; may wait.
     */
    void whenCommitted(Runnable action);

    /**
     * Runs the code; the things that it tells leave when the message in hand has completed, and
     * never if it fails. On the actor's fiber; the code may wait.
     *
     * <p>Held is each {@code tell}, {@code tryTell}, which answers that it was accepted, and {@code
     * fail}, by the actor's own fiber: to actors here and elsewhere, by routers, to adapters, and
     * replies to asks. They leave in their order, also with the actions of {@link #whenCommitted}.
     * A message that is postponed has completed for that. One that then finds no room is a dead
     * letter (rule A8), or waits for it where the mailbox says so; an actor that was told to end
     * waits for none.
     *
     * <p>Not held is the question of an {@code ask} or {@code askLater}, which leaves at once, so
     * before all that was told ahead of it; so do {@code stop}, {@code terminate} and {@code kill}.
     * Nor is a word of another fiber, also of one below the actor, or of a taker of dead letters.
     *
     * <p>While such code runs anywhere in the process, each message looks for it.
     */
    <T extends @Nullable Object> T holding(Callable<T> code) throws Exception;

    /**
     * Fails if the message in hand has made a request that will be refused when it has completed,
     * with the behavior that it has now.
     */
    void checkRequests();

    /** The context as this. */
    static Committing of(ActorContext<?> context) {
        if (context instanceof Committing committing) {
            return committing;
        }
        throw new IllegalArgumentException(
                context + " is none of the library's; a server needs the context of its actor");
    }
}
