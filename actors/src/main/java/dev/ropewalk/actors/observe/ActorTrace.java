package dev.ropewalk.actors.observe;

import dev.ropewalk.actors.internal.observe.TraceTap;

import java.util.List;

/**
 * The last messages that came to an actor and left it; made by {@link ActorInspector#trace}. It
 * goes on over restarts, until it is closed, and holds the messages meanwhile.
 */
public sealed interface ActorTrace extends AutoCloseable permits TraceTap {
    /** {@return the events that it holds, oldest first} From any thread; does not wait. */
    List<TraceEvent> events();

    /** {@return how many older events had to go, because it holds no more} */
    long dropped();

    /** Ends it. From any thread; does not wait. Closing twice is harmless. */
    @Override
    void close();
}
