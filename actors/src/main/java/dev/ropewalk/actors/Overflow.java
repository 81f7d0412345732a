package dev.ropewalk.actors;

/** What happens to a message for a bounded mailbox that is full. */
public enum Overflow {
    /**
     * The sender waits for room: a tell is a switchpoint then. A sender that is ended or cancelled
     * meanwhile gets that, and its message was not sent. A plain thread waits as well.
     */
    SUSPEND,
    /**
     * The sender gets a {@link MailboxFullException}, and still has the message. An actor, and a
     * fiber below one, does not: an exception would fail it for the setting of another actor. What
     * it tells becomes a {@link DeadLetter}, and an adapter that finds no room makes one too,
     * whatever tells it.
     */
    FAIL,
    /** The new message becomes a {@link DeadLetter}. */
    DROP_NEW,
    /**
     * The oldest message that the actor has not begun becomes a {@link DeadLetter}. Decided where
     * the actor is, so what is on its way from other cords is not counted.
     */
    DROP_OLD
}
