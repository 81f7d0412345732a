package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.FiberFailedException;

import org.jspecify.annotations.Nullable;

/** The fibers of one scope, as their owner's end of a child tells it. On the owner's cord. */
public interface ScopeMembers {
    /** The owner has spun a child that they keep; see {@link Children#keeper}. */
    default void spun(FiberImpl<?> child) {}

    /** A member is over; the argument is its failure if that had no taker. */
    void ended(FiberImpl<?> member, @Nullable FiberFailedException untaken);

    /** The owner awaited a member that failed, and did not take its failure after all. */
    void failedAfterAll(FiberImpl<?> member, FiberFailedException untaken);

    /** A member has ended, or was given to another parent. */
    void forget(FiberImpl<?> member);
}
