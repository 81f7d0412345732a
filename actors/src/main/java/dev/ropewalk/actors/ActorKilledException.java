package dev.ropewalk.actors;

/** The failure that a supervisor is told of when an actor was killed. */
public final class ActorKilledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * For the library.
     *
     * @param message names the actor
     */
    public ActorKilledException(String message) {
        super(message);
    }
}
