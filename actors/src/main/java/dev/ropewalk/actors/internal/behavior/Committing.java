package dev.ropewalk.actors.internal.behavior;

import dev.ropewalk.actors.ActorContext;

/** A context whose actor commits what a message returns; implemented by all of handler style. */
public interface Committing {
    /**
     * Runs the action when the message in hand has completed, and never if it fails. On the actor's
     * fiber; may wait.
     */
    void whenCommitted(Runnable action);

    /** The context as this. */
    static Committing of(ActorContext<?> context) {
        if (context instanceof Committing committing) {
            return committing;
        }
        throw new IllegalArgumentException(
                context + " is none of the library's; a server needs the context of its actor");
    }
}
