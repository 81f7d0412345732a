package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.TreeDump;
import dev.ropewalk.fibers.Cord;

import java.util.List;

/** A supervisor or an actor, as the walk through the tree sees it. */
public interface Observed {
    Cord cord();

    /** {@return what it is now, and what is below it} On its cord. */
    Described describe();

    /** {@return what is below it} On its cord; calls no code of the program. */
    List<? extends Observed> below();

    /** {@return what is known of it if its cord does not answer} From any thread. */
    TreeDump silent();
}
