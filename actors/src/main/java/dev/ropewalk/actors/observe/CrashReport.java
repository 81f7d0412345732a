package dev.ropewalk.actors.observe;

import org.jspecify.annotations.Nullable;

/**
 * A report on an actor when an incarnation of it failed; told to {@link
 * dev.ropewalk.actors.ActorSystemOptions#withCrashReports}.
 *
 * @param path the names from the system down to the actor
 * @param number its number
 * @param cord the name of its cord
 * @param failure its failure
 * @param message the message in hand, as the redaction leaves it; null if it had none
 * @param attempt how often that message has been tried, this time included; 0 without a message
 * @param state its state, as the redaction leaves it: of a request server the state, otherwise the
 *     behavior; null for loop style, and if it had none yet
 * @param stateName the name of its state; null if it is no state machine
 * @param queued how many messages wait for the next incarnation, without the one in hand
 * @param restarts how often it was started again before
 */
public record CrashReport(
        String path,
        long number,
        String cord,
        Throwable failure,
        @Nullable Object message,
        int attempt,
        @Nullable Object state,
        @Nullable String stateName,
        int queued,
        long restarts) {
    @Override
    public String toString() {
        return path
                + "#"
                + number
                + " on "
                + cord
                + " failed: "
                + failure
                + "\n  message: "
                + (message == null ? "none" : message + ", attempt " + attempt)
                + "\n  state: "
                + (stateName == null ? "" : stateName + ", ")
                + state
                + "\n  queued="
                + queued
                + " restarts="
                + restarts;
    }
}
