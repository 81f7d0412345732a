package dev.ropewalk.actors;

/**
 * The address for the one reply to an ask; works from any thread.
 *
 * @param <R> the type of the reply
 */
public sealed interface ReplyTo<R> permits Ask {
    /**
     * Replies. Never waits. If the asker no longer waits, or was answered already, the reply
     * becomes a {@link DeadLetter}.
     *
     * @param reply the reply
     */
    void reply(R reply);
}
