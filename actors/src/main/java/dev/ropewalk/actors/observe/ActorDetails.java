package dev.ropewalk.actors.observe;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * The ties of an actor to others at a moment, its timers, and why it was started again; made by
 * {@link ActorInspector#details}. No code of the program is called for it. Of each list the first
 * {@value #MAX} are told, and of links and monitors a line with the number of the others.
 *
 * @param activity what it does
 * @param links the actors that it is linked to, with their numbers
 * @param monitors the actors whose ends it is to hear of
 * @param watchers how many are to hear of its end: monitors, routers, those that wait for it
 * @param openAsks the questions that it has taken and not answered
 * @param timers those that are set, the next one first
 * @param restartLimit what its supervisor allows
 * @param lastFailure why the last incarnation that is over has failed, the program's own object;
 *     null if it has not, or the actor has ended, or no {@link
 *     dev.ropewalk.actors.ActorSystem#snapshot snapshot} was taken in the process before: nothing
 *     is kept where nobody looks
 */
public record ActorDetails(
        ActorActivity activity,
        List<String> links,
        List<String> monitors,
        int watchers,
        int openAsks,
        List<Timer> timers,
        RestartLimit restartLimit,
        @Nullable Throwable lastFailure) {
    /** How many of a kind are told. */
    public static final int MAX = 100;

    /**
     * Keeps copies of the lists.
     *
     * @param activity what it does
     * @param links the actors that it is linked to
     * @param monitors the actors whose ends it is to hear of
     * @param watchers how many are to hear of its end
     * @param openAsks the questions that it has not answered
     * @param timers those that are set
     * @param restartLimit what its supervisor allows
     * @param lastFailure why the last incarnation has failed
     */
    public ActorDetails {
        links = List.copyOf(links);
        monitors = List.copyOf(monitors);
        timers = List.copyOf(timers);
    }

    /**
     * A timer.
     *
     * @param name null if it has none
     * @param kind ONCE, FIXED_DELAY, FIXED_RATE, STATE or IDLE
     * @param message the class of its message, without its package
     * @param due when it goes off next; zero if its message is in the mailbox or in hand
     */
    public record Timer(@Nullable String name, String kind, String message, Duration due) {}

    /**
     * The restarts of the children of a supervisor, the actor among them.
     *
     * @param supervisor its path
     * @param recent how many there were within the period; -1 if its cord has not answered
     * @param max with one more it gives up
     * @param period that counts
     */
    public record RestartLimit(String supervisor, int recent, int max, Duration period) {}
}
