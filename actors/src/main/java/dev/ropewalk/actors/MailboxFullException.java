package dev.ropewalk.actors;

/**
 * Tells a sender that the mailbox is full; the sender still has the message. An ask fails with it
 * as the cause.
 */
public final class MailboxFullException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * For the library.
     *
     * @param message what was full
     */
    public MailboxFullException(String message) {
        super(message);
    }
}
