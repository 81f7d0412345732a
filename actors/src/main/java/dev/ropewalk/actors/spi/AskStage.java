package dev.ropewalk.actors.spi;

/**
 * A stage of an ask that knows what becomes of a reply that nobody wants any more: of {@link
 * dev.ropewalk.actors.ActorRef#askLater}, for builders of targets. A stage of another kind takes a
 * late reply as a dead letter.
 */
public interface AskStage {
    /**
     * Another actor has replied first: a reply that comes from now on is dropped, and is no dead
     * letter. The stage is cancelled afterwards. From any thread.
     */
    void lose();
}
