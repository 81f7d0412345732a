package dev.ropewalk.actors.observe;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * An actor at a moment.
 *
 * @param path the names from the system down to it
 * @param number the number that only this actor of the system has
 * @param cord the name of its cord
 * @param phase where it is in its life; null if its cord did not answer in time; the other fields
 *     are unknown then
 * @param state the name of its state; null if it is no state machine
 * @param restarts how often it was started again
 * @param queued how many messages wait in its mailbox, without those that are postponed
 * @param postponed how many its state has postponed
 * @param oldest for how long the oldest of the queued ones has waited, or a few milliseconds more;
 *     null if none waits
 * @param current the message in hand, as a line; null if there is none
 * @param waitsFor what its fiber waits for; null if it does not wait
 * @param children its own actors, in the order of their start
 */
public record ActorDump(
        String path,
        long number,
        String cord,
        @Nullable ActorPhase phase,
        @Nullable String state,
        long restarts,
        int queued,
        int postponed,
        @Nullable Duration oldest,
        @Nullable String current,
        @Nullable String waitsFor,
        List<TreeDump> children)
        implements TreeDump {
    /**
     * Keeps a copy of the list.
     *
     * @param path the names from the system down to it
     * @param number its number
     * @param cord the name of its cord
     * @param phase where it is in its life
     * @param state the name of its state
     * @param restarts how often it was started again
     * @param queued how many messages wait
     * @param postponed how many its state has postponed
     * @param oldest for how long the oldest has waited
     * @param current the message in hand
     * @param waitsFor what its fiber waits for
     * @param children its own actors
     */
    public ActorDump {
        children = List.copyOf(children);
    }
}
