package dev.ropewalk.actors;

/** The rule for a message to a bounded mailbox that is full. */
public enum Overflow {
    /**
     * The sender waits for room: a tell is a switchpoint then. If the sender's fiber is terminated
     * or cancelled meanwhile, the tell throws and the message is not sent. A plain thread waits as
     * well.
     */
    SUSPEND,
    /**
     * The sender gets a {@link MailboxFullException}, and still has the message. An actor, and a
     * fiber below one, does not: an exception would fail it for the setting of another actor. Its
     * message becomes a {@link DeadLetter}. An adapter that finds no room makes a dead letter too,
     * whoever the sender is.
     */
    FAIL,
    /** The new message becomes a {@link DeadLetter}. */
    DROP_NEW,
    /**
     * The oldest message that the actor has not begun becomes a {@link DeadLetter}. Decided where
     * the actor is, so messages on their way from other cords are not counted.
     */
    DROP_OLD
}
