package dev.ropewalk.actors.internal.observe;

/** Stands between the messages of one actor and the actor; on the actor's cord. */
public interface Tap {
    /**
     * The actor is about to begin a message. On the actor's fiber: a tap may wait, and if it
     * throws, the actor fails on the message.
     *
     * @return false leaves the message out: the actor is done with it and has not seen it
     */
    boolean in(Object message);

    /** The actor has sent a message. Must not wait, and must not throw. */
    void out(Object message, String to);

    /** The actor has failed on a message. Must not wait, and must not throw. */
    default void failed(Object message, Throwable failure) {}
}
