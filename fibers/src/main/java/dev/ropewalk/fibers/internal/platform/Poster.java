package dev.ropewalk.fibers.internal.platform;

/**
 * A thread that runs the tasks which others post to it, in order: a cord, as its lower parts see
 * it.
 */
public interface Poster {
    /**
     * Has one of the two run, from any thread.
     *
     * @param onCord run on the cord
     * @param onClosed run instead if the cord has ended, on any thread
     */
    void post(Runnable onCord, Runnable onClosed);

    /** It slept in its reactor and is about to handle what has come there. On its thread. */
    void wakesForIo();
}
