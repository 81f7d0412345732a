package dev.ropewalk.actors.observe;

import java.util.List;

/**
 * All actors of a system at about one moment, in few words; made by {@link
 * dev.ropewalk.actors.ActorSystem#snapshot}. A cord tells of a thousand at a time, and runs its
 * fibers in between.
 *
 * @param actors by their paths
 * @param visited how many of them were looked at, because they had changed since the last snapshot
 * @param silent the names of the cords that did not answer in time; of their actors the last answer
 *     stands here
 */
public record SystemSnapshot(List<ActorGlance> actors, int visited, List<String> silent) {
    /**
     * Keeps copies of the lists.
     *
     * @param actors by their paths
     * @param visited how many of them were looked at
     * @param silent the cords that did not answer
     */
    public SystemSnapshot {
        actors = List.copyOf(actors);
        silent = List.copyOf(silent);
    }
}
