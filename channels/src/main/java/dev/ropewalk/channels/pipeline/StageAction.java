package dev.ropewalk.channels.pipeline;

/**
 * A stage's action on each element, without a result. It may wait, and throw.
 *
 * @param <E> the type of the elements
 */
@FunctionalInterface
public interface StageAction<E> {
    /**
     * Takes an element.
     *
     * @param element what comes in
     * @throws Exception whatever it throws; it fails the pipeline with the stage's name
     */
    void accept(E element) throws Exception;
}
