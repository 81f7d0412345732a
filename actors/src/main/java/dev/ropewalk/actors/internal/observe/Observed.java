package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.TreeDump;
import dev.ropewalk.fibers.Cord;

/** A supervisor or an actor, as the walk through the tree sees it. */
public interface Observed {
    Cord cord();

    /** {@return what it is now, and what is below it} On its cord. */
    Described describe();

    /** {@return what is known of it if its cord does not answer} From any thread. */
    TreeDump silent();
}
