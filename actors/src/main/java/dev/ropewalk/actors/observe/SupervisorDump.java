package dev.ropewalk.actors.observe;

import java.util.List;

/**
 * A supervisor at a moment.
 *
 * @param path the names from the system down to it
 * @param cord the name of its cord
 * @param state what it does; SILENT if its cord did not answer in time; the actors below it are not
 *     known then
 * @param restarts how often it started children again
 * @param children in the order of their start
 */
public record SupervisorDump(
        String path, String cord, String state, long restarts, List<TreeDump> children)
        implements TreeDump {
    /**
     * Keeps a copy of the list.
     *
     * @param path the names from the system down to it
     * @param cord the name of its cord
     * @param state what it does
     * @param restarts how often it started children again
     * @param children in the order of their start
     */
    public SupervisorDump {
        children = List.copyOf(children);
    }
}
