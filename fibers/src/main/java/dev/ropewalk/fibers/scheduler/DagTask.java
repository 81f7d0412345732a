package dev.ropewalk.fibers.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * The body of a node of a {@link Dag}.
 *
 * @param <D> the type of the data of a run
 */
@FunctionalInterface
public interface DagTask<D extends @Nullable Object> {
    /**
     * Runs the node's code, in a fiber; may wait and may spin children, which end with the node.
     *
     * @param data what the run was started with
     * @throws Exception whatever the code throws; it ends the run
     */
    void run(D data) throws Exception;
}
