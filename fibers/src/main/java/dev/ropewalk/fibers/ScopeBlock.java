package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * The block of a {@link Scope}: spins the scope's fibers and may wait for them.
 *
 * @param <S> the scope
 * @param <R> the type of the result
 * @param <X> what it throws; the compiler finds {@code RuntimeException} where there is nothing
 */
@FunctionalInterface
public interface ScopeBlock<S, R extends @Nullable Object, X extends Exception> {
    /**
     * Runs the block.
     *
     * @param scope the scope that has just been opened
     * @return its result
     * @throws X whatever the block throws
     */
    R run(S scope) throws X;
}
