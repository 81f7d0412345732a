package dev.ropewalk.channels.pipeline;

/**
 * A stage's function of each element. It may wait, and throw.
 *
 * @param <A> the type of the elements that come in
 * @param <B> the type of the elements that go out
 */
@FunctionalInterface
public interface StageFunction<A, B> {
    /**
     * Makes an element of an element.
     *
     * @param element what comes in
     * @return what goes out, never null
     * @throws Exception whatever it throws; it fails the pipeline with the stage's name
     */
    B apply(A element) throws Exception;
}
