package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.cord.CordImpl;

/**
 * Tells that a fiber was not spun because its cord has as many as it may: the limit that {@link
 * CordOptions#withMaxFibers} sets.
 *
 * <p>On the cord itself the call that spins throws it, and nothing has happened. A fiber that
 * another cord or thread spins is refused when its message arrives: it fails with this exception,
 * which its {@code await} throws. If no fiber awaits it, its parent fails with it, or the uncaught
 * handler is told if a plain thread spun it. A task of a scheduler fails in the same way if all
 * cords are full when it is to start.
 */
public final class TooManyFibersException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param cord the cord that is full
     * @param fibers how many it has
     * @param refused the one that was not started
     */
    public TooManyFibersException(Cord cord, int fibers, Fiber<?> refused) {
        super(
                refused
                        + " was not started: "
                        + cord
                        + " has "
                        + fibers
                        + " fibers, and its limit is maxFibers="
                        + CordImpl.of(cord).options.maxFibers()
                        + ". See what they wait for with Cord.dump; end some, hold callers back"
                        + " with a Semaphore, or raise the limit with"
                        + " CordOptions.withMaxFibers");
    }
}
