package dev.ropewalk.actors.observe;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * A message that came to an actor or left it.
 *
 * @param at when, since the trace began
 * @param kind which of both
 * @param message the message itself
 * @param to the actor, by path and number, or the asker that it was sent to; null if it came in
 */
public record TraceEvent(Duration at, Kind kind, Object message, @Nullable String to) {
    /** The way that a message went. */
    public enum Kind {
        /** The actor has begun it. */
        IN,
        /** The actor has sent it, by a tell, an ask or a reply. */
        OUT
    }

    @Override
    public String toString() {
        return at + " " + kind + " " + message + (to == null ? "" : " to " + to);
    }
}
