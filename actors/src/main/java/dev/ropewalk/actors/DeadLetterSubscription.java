package dev.ropewalk.actors;

/** One taker of a system's dead letters; made by {@link ActorSystem#onDeadLetter}. */
public interface DeadLetterSubscription extends AutoCloseable {
    /** Ends it: the taker gets no dead letter any more. From any thread; twice is harmless. */
    @Override
    void close();
}
