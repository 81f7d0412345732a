package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.internal.routing.GroupCell;
import dev.ropewalk.actors.internal.supervision.Supervising;

/**
 * Makes a worker join its pool when it is up, each time it is started: so it does not matter who
 * starts it, where in a tree, and how often.
 */
public final class PoolMembership {
    private PoolMembership() {}

    /** The same worker, which joins. */
    public static <M> Actor<M> around(String pool, Actor<M> worker) {
        return Definition.of(worker)
                .around(
                        factory ->
                                self -> {
                                    Behavior<M> first = factory.apply(self);
                                    join(pool, self);
                                    return first;
                                },
                        body ->
                                self -> {
                                    join(pool, self);
                                    body.run(self);
                                });
    }

    /** Does not wait. */
    private static <M> void join(String pool, ActorContext<M> self) {
        if (self.self().target() instanceof ActorCell<M> cell) { // otherwise it is run by a test
            Supervising supervisor = cell.child().supervisor();
            GroupCell<M> group = cell.core().pool(pool, supervisor);
            group.join(cell, self.self(), _ -> {});
        }
    }
}
