package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/** Which of several exceptions stands (rule F4): a termination beats a failure; else the first. */
final class Ranks {
    private Ranks() {}

    /** The one that stays pending; the other becomes its suppressed. */
    static Throwable stronger(@Nullable Throwable first, @Nullable Throwable second) {
        if (first == null || second == null || first == second) {
            Throwable only = first == null ? second : first;
            if (only == null) {
                throw new IllegalArgumentException("nothing to raise");
            }
            return only;
        }
        if (first instanceof Signal.Terminate && second instanceof Signal.Terminate) {
            return first;
        }
        boolean secondWins =
                second instanceof Signal.Terminate && !(first instanceof Signal.Terminate);
        Throwable winner = secondWins ? second : first;
        suppress(winner, secondWins ? first : second);
        return winner;
    }

    /**
     * The outcome of a body that ended with {@code raw} while {@code pending} was not yet thrown.
     */
    static <T extends @Nullable Object> Outcome<T> withPending(
            Outcome<T> raw, @Nullable Throwable pending) {
        if (raw instanceof Outcome.Failure<T> failed) {
            Throwable cause = failed.cause();
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
        return switch (raw) {
            case Outcome.Success<T> _ -> ofThrown(failure);
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

    private static <T extends @Nullable Object> Outcome<T> ofThrown(Throwable thrown) {
        return switch (thrown) {
            case Signal.Terminate signal -> new Outcome.Terminated<>(signal);
            case Signal.ChildFailed signal -> {
                // What was thrown on its way out, by a close for one.
                for (Throwable onTheWay : signal.getSuppressed()) {
                    suppress(signal, onTheWay);
                }
                yield new Outcome.Failure<>(signal.failure);
            }
            default -> new Outcome.Failure<>(thrown);
        };
    }

    /** What carries the failure of a child is the child's failure, also for what it suppresses. */
    private static void suppress(Throwable standing, Throwable other) {
        Throwable to = failureIn(standing);
        Throwable suppressed = failureIn(other);
        if (to != suppressed) {
            to.addSuppressed(suppressed);
        }
    }

    private static Throwable failureIn(Throwable thrown) {
        return thrown instanceof Signal.ChildFailed child ? child.failure : thrown;
    }
}
