package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.ExitReason;

/**
 * One end of a link of two actors (rule A4): it is told what happens at the other end. For builders
 * of targets; from any thread; never waits.
 *
 * @see Target#link
 * @see Calls#linked
 */
public interface LinkPeer {
    /** The other actor has taken the link back. */
    void unlinked();

    /**
     * The incarnation of the other actor is over.
     *
     * @param reason of its end
     */
    void ended(ExitReason reason);
}
