package dev.ropewalk.actors.internal.routing;

import org.jspecify.annotations.Nullable;

/**
 * How one router chooses, with what it has to remember; on any sender's thread.
 *
 * @param <M> the type of the messages
 */
public interface Choice<M> {
    /**
     * Chooses a member.
     *
     * @param roster has one at least
     * @param message null if it {@linkplain #needsMessage needs none}
     */
    Member<M> choose(Roster<M> roster, @Nullable M message);

    /** Whether it looks at the message. */
    default boolean needsMessage() {
        return false;
    }

    /** The choice itself if it chooses all members; null if it chooses one. */
    default @Nullable ToAll<M> toAll() {
        return null;
    }
}
