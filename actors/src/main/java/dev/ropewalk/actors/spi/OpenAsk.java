package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;

/**
 * An ask whose asker, an actor, waits for the reply: the asks of an actor show it while they look
 * for a circle of actors that wait for each other (rule A2). For builders of targets; from any
 * thread.
 *
 * @see Calls#asks
 */
public interface OpenAsk {
    /** {@return the asked actor} */
    ActorRef<?> asked();

    /** {@return whether somebody may still reply; a hint} */
    boolean isOpen();

    /**
     * Ends the ask, because it is one of a circle.
     *
     * @param circle is thrown to the asker
     * @return false if it is over
     */
    boolean fails(AskCycleException circle);
}
