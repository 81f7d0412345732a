package dev.ropewalk.actors;

/** The outcome of {@link ActorRef#tryTell} for a message. */
public enum TellResult {
    /** The message is on its way: it will be processed, or reported as a {@link DeadLetter}. */
    ACCEPTED,
    /** The mailbox is full; the caller still has the message. */
    FULL,
    /** The actor has ended; the caller still has the message. */
    ENDED
}
