package dev.ropewalk.actors.observe;

/**
 * One actor in a {@link SystemSnapshot}.
 *
 * @param path the names from the system down to it
 * @param number the number that only this actor of the system has
 * @param phase where it is in its life
 * @param queued how many messages wait in its mailbox, postponed ones included
 * @param restarts how often it was started again
 */
public record ActorGlance(String path, long number, ActorPhase phase, int queued, long restarts) {
    @Override
    public String toString() {
        return path + "#" + number + " " + phase + " queued=" + queued + " restarts=" + restarts;
    }
}
