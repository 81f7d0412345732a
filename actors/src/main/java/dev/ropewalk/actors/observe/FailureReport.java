package dev.ropewalk.actors.observe;

import org.jspecify.annotations.Nullable;

/**
 * A failure of an actor or a supervisor, and the work of the actor at that time; told to {@link
 * dev.ropewalk.actors.supervision.Supervision#onFailure}. A supervisor, and an actor of which no
 * incarnation ran, because it could not be started or an end hook failed later, have no message and
 * no state.
 *
 * @param path the names from the system down to the actor, or to a supervisor
 * @param number the actor's number; 0 of a supervisor
 * @param cord the name of its cord
 * @param failure its failure
 * @param message the message in hand, as the redaction leaves it; null if it had none
 * @param attempt how often that message has been tried, this time included; 0 without a message
 * @param state its state, as the redaction leaves it: of a request server the state, otherwise the
 *     behavior; null for loop style, and if it had none yet
 * @param stateName the name of its state; null if it is no state machine
 * @param queued how many messages wait for the next incarnation, without the one in hand
 * @param restarts how often the actor was started again before
 */
public record FailureReport(
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
    /**
     * A report of what failed outside an incarnation.
     *
     * @param path the names from the system down to it
     * @param number the actor's number; 0 of a supervisor
     * @param cord the name of its cord
     * @param failure what it failed with
     */
    public FailureReport(String path, long number, String cord, Throwable failure) {
        this(path, number, cord, failure, null, 0, null, null, 0, 0);
    }

    /** {@return the path, and the number of an actor, as dead letters and logs name it} */
    public String actor() {
        return number == 0 ? path : path + "#" + number;
    }

    @Override
    public String toString() {
        return actor()
                + " on "
                + cord
                + " failed: "
                + failure
                + "\n  message: "
                + (message == null ? "none" : message + ", attempt " + attempt)
                + "\n  state: "
                + (stateName == null ? "" : stateName + ", ")
                + (state == null ? "none" : state)
                + "\n  queued="
                + queued
                + " restarts="
                + restarts;
    }
}
