package dev.ropewalk.actors.cluster.internal.ref;

/**
 * A message to an entity with the context of its sender, which goes with it to each owner that it
 * is sent to. Made only where a node has contexts.
 *
 * @param message of the program
 * @param context of its sender
 */
public record InContext(Object message, String context) {
    /** The message of an item that may have a context. */
    public static Object message(Object item) {
        return item instanceof InContext(Object message, _) ? message : item;
    }
}
