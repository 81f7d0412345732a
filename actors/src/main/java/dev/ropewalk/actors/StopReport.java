package dev.ropewalk.actors;

import java.util.List;

/**
 * What was left when a system was stopped.
 *
 * @param left the actors that did not end within the limit, in the order of their start; they were
 *     ended, and what was in their mailboxes became dead letters
 */
public record StopReport(List<Left> left) {
    /**
     * An actor that did not end in time.
     *
     * @param actor its address
     * @param mailbox what it had not handled
     */
    public record Left(ActorRef<?> actor, MailboxSnapshot mailbox) {}

    /** Keeps a copy of the list. */
    public StopReport {
        left = List.copyOf(left);
    }

    /** {@return whether all actors came to the end of their mailboxes} */
    public boolean isComplete() {
        return left.isEmpty();
    }
}
