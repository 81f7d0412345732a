package dev.ropewalk.actors.observe;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * One actor in a {@link SystemSnapshot}.
 *
 * @param path the names from the system down to it
 * @param number the number that only this actor of the system has
 * @param type the name of the class that it counts as: that of its state or behavior, or the class
 *     in which that is written as a lambda
 * @param cord the name of its cord
 * @param phase where it is in its life
 * @param queued how many messages wait in its mailbox, postponed ones included
 * @param oldest for how long the oldest of them has waited, or a few milliseconds more; null if
 *     none waits
 * @param restarts how often it was started again
 */
public record ActorGlance(
        String path,
        long number,
        String type,
        String cord,
        ActorPhase phase,
        int queued,
        @Nullable Duration oldest,
        long restarts) {
    @Override
    public String toString() {
        return path + "#" + number + " " + phase + " queued=" + queued + " restarts=" + restarts;
    }
}
