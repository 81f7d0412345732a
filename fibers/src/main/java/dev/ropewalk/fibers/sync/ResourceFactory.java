package dev.ropewalk.fibers.sync;

/**
 * Makes and closes the resources of a {@link ResourcePool}. Both may wait; they are called by the
 * fiber or thread that uses the pool, outside all locks, and by several at once.
 *
 * @param <R> the type of the resources
 */
@FunctionalInterface
public interface ResourceFactory<R> {
    /**
     * Makes a resource.
     *
     * @return the resource, never null
     * @throws Exception if no resource can be made now; the caller that asked for it gets this
     *     exception
     */
    R make() throws Exception;

    /**
     * Closes a resource that is not needed any more. Unless overridden, closes an {@code
     * AutoCloseable} and leaves any other resource to the garbage collector.
     *
     * @param resource what {@link #make} returned
     * @throws Exception if it could not be closed properly; the pool forgets it all the same
     */
    default void close(R resource) throws Exception {
        if (resource instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }
}
