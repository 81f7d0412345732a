package dev.ropewalk.actors;

import dev.ropewalk.fibers.observe.CordDump;

import java.util.List;

/**
 * The actors and cords that were left when a system was stopped.
 *
 * @param left the actors that did not end within the limit, in the order of their start; they were
 *     ended, and the messages in their mailboxes became dead letters
 * @param silent the paths of those actors and supervisors whose cords did not answer within a
 *     second, because a fiber there keeps its cord; the actors below such a supervisor are not
 *     known
 * @param stuck the cords that a fiber kept until the stop gave them up, each with the name of that
 *     fiber, which is its actor's, and its stack; they end when it gives way
 */
public record StopReport(List<Left> left, List<String> silent, List<CordDump> stuck) {
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
     * @param stuck the cords that were given up
     */
    public StopReport {
        left = List.copyOf(left);
        silent = List.copyOf(silent);
        stuck = List.copyOf(stuck);
    }

    /** {@return whether all actors came to the end of their mailboxes} */
    public boolean isComplete() {
        return left.isEmpty() && silent.isEmpty() && stuck.isEmpty();
    }
}
