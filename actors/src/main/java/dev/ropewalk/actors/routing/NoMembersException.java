package dev.ropewalk.actors.routing;

/** A router had no member to send to; nothing was sent. An ask fails with it as the cause. */
public final class NoMembersException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by routers.
     *
     * @param message names the router
     */
    public NoMembersException(String message) {
        super(message);
    }
}
