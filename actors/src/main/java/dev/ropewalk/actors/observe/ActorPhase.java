package dev.ropewalk.actors.observe;

/** Where an actor is in its life. */
public enum ActorPhase {
    /** No incarnation runs: it has not begun, or waits to be started again. */
    DOWN,
    /** An incarnation waits for its back-off, or makes its first behavior. */
    STARTING,
    /** It takes messages. */
    UP,
    /** It is up and takes no messages until it is {@linkplain ActorInspector#resume resumed}. */
    SUSPENDED,
    /** It is over, and will not be started again. */
    ENDED
}
