package dev.ropewalk.actors.spi;

/**
 * The number of messages that an actor has to handle, as far as one sender knows it: for routers
 * that choose the member with the fewest. From any thread.
 *
 * @see Target#load
 * @see Calls#loadOf
 */
public interface Load {
    /** {@return how many messages it has, with those that were told since it said so} */
    int size();

    /** A message is told: it counts until the actor says again how many it has. */
    void told();
}
