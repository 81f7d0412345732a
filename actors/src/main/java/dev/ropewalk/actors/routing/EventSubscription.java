package dev.ropewalk.actors.routing;

/** An actor's subscription to an {@link EventBus}; it ends with the actor. */
public interface EventSubscription extends AutoCloseable {
    /** Ends it: nothing that is published from now on comes. To end it twice is harmless. */
    @Override
    void close();
}
