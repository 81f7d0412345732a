package dev.ropewalk.actors;

import java.util.List;

/**
 * The messages that waited in an actor's mailbox at a moment, for people and tests; made by {@link
 * ActorRef#mailbox}.
 *
 * @param queued how many messages had arrived and not been begun
 * @param capacity how many may wait; {@code Integer.MAX_VALUE} without a bound
 * @param oldest the oldest of them, up to {@value #SHOWN}
 */
public record MailboxSnapshot(int queued, int capacity, List<Object> oldest) {
    /** How many messages are shown. */
    public static final int SHOWN = 100;

    /**
     * Copies the list.
     *
     * @param queued how many messages had arrived and not been begun
     * @param capacity how many may wait
     * @param oldest the oldest of them
     */
    public MailboxSnapshot {
        oldest = List.copyOf(oldest);
    }
}
