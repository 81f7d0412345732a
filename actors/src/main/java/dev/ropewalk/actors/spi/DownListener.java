package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.Down;

/** Is told of the end of an actor, or of each of its incarnations. */
@FunctionalInterface
public interface DownListener {
    /**
     * Called on the actor's cord, or, if that has ended, on any thread; must not wait.
     *
     * @param down the actor and the reason
     */
    void down(Down down);
}
