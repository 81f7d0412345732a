package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.fiber.FiberAwait;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Says when a {@link Scope} is done and what it returns.
 *
 * <p>A joiner is for one scope; its methods are called on the cord of the scope's owner, one at a
 * time, and must not wait.
 *
 * @param <T> the type of the fibers' results
 * @param <R> the type of the scope's result
 */
public interface Joiner<T extends @Nullable Object, R extends @Nullable Object> {
    /**
     * A fiber was spun in the scope; not called for service fibers.
     *
     * @param fiber the new fiber
     */
    default void onSpin(Fiber<? extends T> fiber) {}

    /**
     * A fiber of the scope has ended; not called for service fibers. Its failure, if it has one, is
     * the joiner's from now on.
     *
     * @param fiber the fiber, which is dead
     * @return true if the scope is done: the other fibers and the block are cancelled
     */
    boolean onEnd(Fiber<? extends T> fiber);

    /**
     * A fiber of the scope has failed when the scope was over: the joiner has ended it, or its
     * block has thrown. Not called for service fibers.
     *
     * @param fiber the fiber, which is dead
     * @return true if the joiner has told of the failure; otherwise the scope adds it to its own
     *     failure, or it goes to the uncaught handler
     */
    default boolean onLateFailure(Fiber<? extends T> fiber) {
        return false;
    }

    /**
     * Called once, when all fibers of the scope have ended and the block was done or cancelled by
     * the joiner.
     *
     * @return what the scope returns
     */
    R result();

    /**
     * {@return a joiner that wants the results of all fibers, in the order in which they were spun;
     * the first that does not return one ends the scope with its failure}
     *
     * @param <T> the type of the fibers' results
     */
    static <T extends @Nullable Object> Joiner<T, List<T>> all() {
        return new Joiner<>() {
            private final List<Fiber<? extends T>> spun = new ArrayList<>();
            private @Nullable Fiber<? extends T> failed;

            @Override
            public void onSpin(Fiber<? extends T> fiber) {
                spun.add(fiber);
            }

            @Override
            public boolean onEnd(Fiber<? extends T> fiber) {
                if (failed == null && fiber.failure() != null) {
                    failed = fiber;
                }
                return failed != null;
            }

            @Override
            public List<T> result() {
                if (failed != null) {
                    FiberAwait.takeEnded(FiberImpl.of(failed));
                }
                List<T> results = new ArrayList<>(spun.size());
                for (Fiber<? extends T> each : spun) {
                    results.add(FiberAwait.takeEnded(FiberImpl.of(each)));
                }
                return results;
            }
        };
    }

    /**
     * {@return a joiner that wants the first result there is; if no fiber returns one, the scope
     * ends with the first failure, and the others are its suppressed}
     *
     * @param <T> the type of the fibers' results
     */
    static <T extends @Nullable Object> Joiner<T, T> firstSuccess() {
        return new Joiner<>() {
            private final List<Throwable> failures = new ArrayList<>();
            private @Nullable Fiber<? extends T> winner;

            @Override
            public boolean onEnd(Fiber<? extends T> fiber) {
                Throwable failure = fiber.failure();
                if (failure != null) {
                    failures.add(failure);
                } else if (winner == null) {
                    winner = fiber;
                }
                return winner != null;
            }

            @Override
            public T result() {
                if (winner != null) {
                    return FiberAwait.takeEnded(FiberImpl.of(winner));
                }
                if (failures.isEmpty()) {
                    throw new IllegalStateException(
                            "no fiber was spun in the scope, so none can be the first to succeed");
                }
                FiberFailedException all =
                        new FiberFailedException(
                                "all " + failures.size() + " fibers of the scope failed",
                                failures.getFirst());
                failures.stream().skip(1).forEach(all::addSuppressed);
                throw all;
            }
        };
    }

    /**
     * {@return a joiner that ends the scope at the first fiber whose end the test likes, and
     * returns the fibers that have ended by then, in the order of their ends; failures are left to
     * the caller, which finds them in the fibers}
     *
     * @param <T> the type of the fibers' results
     * @param isDone is asked after each end; {@code fiber -> false} waits for all
     */
    static <T extends @Nullable Object> Joiner<T, List<Fiber<? extends T>>> until(
            Predicate<? super Fiber<? extends T>> isDone) {
        return new Joiner<>() {
            private final List<Fiber<? extends T>> ended = new ArrayList<>();
            private boolean done;

            @Override
            public boolean onEnd(Fiber<? extends T> fiber) {
                if (!done) {
                    ended.add(fiber);
                    done = isDone.test(fiber);
                }
                return done;
            }

            @Override
            public List<Fiber<? extends T>> result() {
                return ended;
            }
        };
    }
}
