package dev.ropewalk.fibers.internal.fiber;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Decides which of several exceptions stands (rule F4): an end beats a restart, a restart beats a
 * failure; of the same rank the first. The signal of a cancel scope is never pending, see {@link
 * Cancellation}.
 */
final class PendingRules {
    /** An end, or a restart of what has been ended, after the body was left. */
    private static boolean comesTooLate(Outcome<?> raw, Throwable failure) {
        boolean isRestarting = raw instanceof Outcome.Failure<?>(Unwind.Restart _);
        if (failure instanceof Unwind.End) {
            return !isRestarting;
        }
        return failure instanceof Unwind.Restart
                && !isRestarting
                && !(raw instanceof Outcome.Success<?>);
    }

    /** Exceptions that a dropped wish has suppressed count as if they had come alone. */
    private static <T extends @Nullable Object> Outcome<T> withHidden(
            Outcome<T> raw, Throwable wish) {
        Outcome<T> end = raw;
        for (Throwable hidden : hiddenIn(wish)) {
            end = withCleanUpFailure(end, hidden);
        }
        return end;
    }

    private static void moveSuppressed(Throwable from, Throwable to) {
        for (Throwable each : hiddenIn(from)) {
            suppress(to, each);
        }
    }

    /** An exception that only wraps a dropped wish is dropped with it. */
    private static List<Throwable> hiddenIn(Throwable wish) {
        return wish instanceof Unwind signal ? signal.failures() : List.of(wish.getSuppressed());
    }

    private static final int FAILURE = 0;
    private static final int RESTART = 1;
    private static final int END = 2;

    private PendingRules() {}

    private static int rank(Throwable thrown) {
        if (thrown instanceof Unwind.End) {
            return END;
        }
        return thrown instanceof Unwind.Restart ? RESTART : FAILURE;
    }

    /** The one that stays pending; the other becomes its suppressed. */
    static Throwable stronger(@Nullable Throwable first, @Nullable Throwable second) {
        if (first == null || second == null || first == second) {
            Throwable only = first == null ? second : first;
            if (only == null) {
                throw new IllegalArgumentException("nothing to raise");
            }
            return only;
        }
        int firstRank = rank(first);
        int secondRank = rank(second);
        if (firstRank == secondRank && firstRank > FAILURE) {
            return first; // the same wish once more
        }
        boolean secondWins = secondRank > firstRank;
        Throwable winner = secondWins ? second : first;
        Throwable loser = secondWins ? first : second;
        if (loser instanceof Unwind.Restart) {
            moveSuppressed(loser, winner); // a wish that came to nothing is itself no error
        } else {
            suppress(winner, loser);
        }
        return winner;
    }

    /**
     * The outcome of a body that ended with {@code raw} while {@code pending} was not yet thrown.
     */
    static <T extends @Nullable Object> Outcome<T> withPending(
            Outcome<T> raw, @Nullable Throwable pending) {
        if (raw instanceof Outcome.Failure<T> failed) {
            Throwable cause = failed.cause();
            if (cause instanceof Unwind.Restart && pending != null) {
                return ofThrown(stronger(cause, pending));
            }

            if (pending != null && pending != cause) {
                suppress(cause, pending);
            }
            return ofThrown(cause);
        }
        return pending == null ? raw : ofThrown(pending);
    }

    /** The outcome after a child failed while it was being terminated. */
    static <T extends @Nullable Object> Outcome<T> withCleanUpFailure(
            Outcome<T> raw, Throwable failure) {
        if (comesTooLate(raw, failure)) {
            return withHidden(raw, failure);
        }
        return switch (raw) {
            case Outcome.Success<T> _, Outcome.Stopped<T> _ -> ofThrown(failure);
            case Outcome.Failure<T>(Unwind.Restart restart) when failure != restart ->
                    ofThrown(stronger(failure, restart));
            case Outcome.Failure<T> failed -> {
                suppress(failed.cause(), failure);
                yield raw;
            }
            case Outcome.Abandoned<T> abandoned -> {
                suppress(abandoned.report(), failure);
                yield raw;
            }
            case Outcome.Terminated<T> terminated -> {
                suppress(terminated.signal(), failure);
                yield raw;
            }
        };
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // Fiber.stop takes a T
    private static <T extends @Nullable Object> Outcome<T> ofThrown(Throwable thrown) {
        if (thrown instanceof Unwind.Terminate signal) {
            return new Outcome.Terminated<>(signal);
        }
        if (thrown instanceof Unwind.Stop signal) {
            return new Outcome.Stopped<>(signal, (T) signal.result);
        }
        if (thrown instanceof Unwind.ChildFailed signal) {
            // Exceptions thrown on its way out, for example by a close.
            for (Throwable onTheWay : signal.getSuppressed()) {
                suppress(signal, onTheWay);
            }
            return new Outcome.Failure<>(signal.failure);
        }
        return new Outcome.Failure<>(thrown);
    }

    /**
     * An exception that carries the failure of a child is the child's failure, and so are those
     * that it suppresses.
     */
    private static void suppress(Throwable standing, Throwable other) {
        Throwable to = failureIn(standing);
        Throwable suppressed = failureIn(other);
        // A clean-up that failed may carry a raise of it already.
        boolean isThere = suppressed instanceof Unwind && Unwind.isSuppressedIn(to, suppressed);
        if (to != suppressed && !isThere) {
            to.addSuppressed(suppressed);
        }
    }

    private static Throwable failureIn(Throwable thrown) {
        return thrown instanceof Unwind.ChildFailed child ? child.failure : thrown;
    }
}
