package dev.ropewalk.actors.observe;

import dev.ropewalk.actors.internal.observe.CountTap;

import java.time.Duration;

/**
 * Counts what an actor does; made by {@link ActorInspector#statistics} or {@link
 * ActorInspector#countReceived}. It goes on over restarts, until it is closed. Each number is a
 * reading of its own, from any thread.
 */
public sealed interface ActorStatistics extends AutoCloseable permits CountTap {
    /** {@return how many messages the actor has begun} */
    long in();

    /** {@return how many messages it has sent, by tells, asks and replies, if these are counted} */
    long out();

    /** {@return how long it counts} After {@code close}, how long it has counted. */
    Duration time();

    /** Ends it; the numbers stay. Does not wait. Closing twice is harmless. */
    @Override
    void close();
}
