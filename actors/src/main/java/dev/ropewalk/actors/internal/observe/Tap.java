package dev.ropewalk.actors.internal.observe;

/** Hears of the messages of one actor, on the actor's cord. Must not wait, and must not throw. */
public interface Tap {
    /** The actor begins a message. */
    void in(Object message);

    /** The actor has sent a message. */
    void out(Object message, String to);
}
