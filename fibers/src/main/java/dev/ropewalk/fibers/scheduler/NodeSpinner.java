package dev.ropewalk.fibers.scheduler;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Scope;

import org.jspecify.annotations.Nullable;

/** Where the nodes of a {@link Dag} are spun. */
@FunctionalInterface
interface NodeSpinner {
    /** On the cord of the fiber that runs the dag. */
    NodeSpinner HERE = (scope, name, body) -> scope.spin(name, body);

    /**
     * Spins a fiber of the scope. Called on the cord of the scope's owner, at times as no fiber, so
     * it must not wait. Its exceptions end the run.
     */
    Fiber<?> spin(Scope<@Nullable Object> scope, String name, Action body);
}
