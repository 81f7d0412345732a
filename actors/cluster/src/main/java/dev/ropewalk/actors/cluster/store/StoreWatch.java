package dev.ropewalk.actors.cluster.store;

/** A watch of a {@link Store}. */
public interface StoreWatch extends AutoCloseable {
    /** Ends it: its listener is not called again, though a call that has begun may go on. */
    @Override
    void close();
}
