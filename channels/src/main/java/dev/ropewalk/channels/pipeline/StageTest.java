package dev.ropewalk.channels.pipeline;

/**
 * Decides which elements a stage lets through. It may wait, and throw.
 *
 * @param <E> the type of the elements
 */
@FunctionalInterface
public interface StageTest<E> {
    /**
     * Tests an element.
     *
     * @param element what comes in
     * @return whether it goes on
     * @throws Exception whatever it throws; it fails the pipeline with the stage's name
     */
    boolean test(E element) throws Exception;
}
