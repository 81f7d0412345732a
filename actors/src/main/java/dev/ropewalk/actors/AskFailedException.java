package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

/**
 * Tells an asker, at once, that no reply can come: the actor ended, gave the message up, or has no
 * room for it, or a router has no member.
 */
public final class AskFailedException extends AskException {
    private static final long serialVersionUID = 1L;

    /**
     * For the library.
     *
     * @param message names the asker, the actor and the reason
     * @param cause the failure of the actor, or the one that it gave the ask; a {@link
     *     MailboxFullException} if the message was not sent for want of room, a {@link
     *     dev.ropewalk.actors.routing.NoMembersException} if a router had no member to send it to;
     *     null if there is none
     */
    public AskFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
