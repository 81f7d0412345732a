package dev.ropewalk.actors.observe;

import dev.ropewalk.actors.internal.observe.DumpJson;
import dev.ropewalk.actors.internal.observe.DumpText;

import java.util.Optional;

/**
 * The tree of a system's supervisors and actors; made by {@link
 * dev.ropewalk.actors.ActorSystem#dump}. Each cord tells of its actors between two of its fibers,
 * so the parts of one cord fit together; each cord has its own moment.
 *
 * @param system the name of the system
 * @param deadLetters how many there were so far
 * @param root the root supervisor, with all below it
 */
public record SystemDump(String system, long deadLetters, SupervisorDump root) {
    /**
     * {@return the actor or supervisor with the path, if it is in the dump}
     *
     * @param path the names from the system down to it, with a {@code /} between
     */
    public Optional<TreeDump> find(String path) {
        return find(root, path);
    }

    private static Optional<TreeDump> find(TreeDump tree, String path) {
        if (tree.path().equals(path)) {
            return Optional.of(tree);
        }
        return tree.children().stream().flatMap(child -> find(child, path).stream()).findFirst();
    }

    /** {@return one object of JSON; times are in nanoseconds} */
    public String toJson() {
        return DumpJson.of(this);
    }

    /** A tree for people, with a line for each actor and supervisor. */
    @Override
    public String toString() {
        return DumpText.of(this);
    }
}
