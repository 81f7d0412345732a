package dev.ropewalk.fibers;

/**
 * The block of a {@link Scope}, without a result.
 *
 * @param <S> the scope
 * @param <X> what it throws; the compiler finds {@code RuntimeException} where there is nothing
 */
@FunctionalInterface
public interface VoidScopeBlock<S, X extends Exception> {
    /**
     * Runs the block.
     *
     * @param scope the scope that has just been opened
     * @throws X whatever the block throws
     */
    void run(S scope) throws X;
}
