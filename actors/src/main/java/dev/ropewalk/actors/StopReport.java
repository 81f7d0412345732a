package dev.ropewalk.actors;

import java.util.List;

/**
 * What was left when a system was stopped.
 *
 * @param left the actors that did not end within the limit, in the order of their start; they were
 *     ended, and what was in their mailboxes became dead letters
 * @param silent the paths of those actors and supervisors whose cords did not answer within a
 *     second, because a fiber there keeps its cord; what is below such a supervisor is not known
 */
public record StopReport(List<Left> left, List<String> silent) {
    /**
     * An actor that did not end in time.
     *
     * @param actor its address
     * @param mailbox what it had not handled
     */
    public record Left(ActorRef<?> actor, MailboxSnapshot mailbox) {}

    /**
     * Keeps copies of the lists.
     *
     * @param left the actors that did not end within the limit
     * @param silent those whose cords did not answer
     */
    public StopReport {
        left = List.copyOf(left);
        silent = List.copyOf(silent);
    }

    /** {@return whether all actors came to the end of their mailboxes} */
    public boolean isComplete() {
        return left.isEmpty() && silent.isEmpty();
    }
}
