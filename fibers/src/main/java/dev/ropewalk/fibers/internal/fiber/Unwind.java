package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.FiberFailedException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A signal that the library itself raises in a fiber. An {@code Error}, so that {@code catch
 * (Exception e)} in user code does not swallow it (rule F6); it turns into an exception at the edge
 * that owns it.
 *
 * <p>An origin stands in its fiber or scope until that is over. It is never thrown itself: each
 * switchpoint throws a fresh {@link #raise} of it. Otherwise a block of try-with-resources whose
 * {@code close} is a switchpoint would add a signal to itself as suppressed, which Java forbids,
 * and the signal would be lost. At the edge, {@link #atEdge} leads from the raise back to its
 * origin, which takes over what failed in clean-up while the raise was on its way.
 */
public abstract sealed class Unwind extends Error {
    private static final long serialVersionUID = 1L;

    /** How often it may be swallowed before the fiber is abandoned. */
    static final int MAX_RAISES = 1_000;

    /**
     * How many causes are looked at for a raise: wrappers may form a circle, and each round of a
     * loop may add one.
     */
    private static final int MAX_CAUSES = 100;

    /** Null if this is an origin. */
    private final @Nullable Unwind origin;

    /** Of a raise: the fiber that it was thrown in. */
    @SuppressWarnings("serial") // signals never leave the process
    private @Nullable FiberImpl<?> raisedIn;

    /**
     * Of an origin: the fiber or scope that it ended is over, so a raise of it that user code kept
     * ends nothing.
     */
    private boolean isOver;

    /** Of an origin: it was thrown in its fiber. */
    private boolean wasRaised;

    /** Of an origin. */
    private int raises;

    /**
     * Of an origin: failures of children whose awaits it ended; they are no failures of its way.
     */
    @SuppressWarnings("serial") // signals never leave the process
    private List<FiberFailedException> taken = List.of();

    private Unwind(@Nullable Unwind origin, @Nullable String message, @Nullable Throwable cause) {
        super(message, cause, true, false);
        this.origin = origin;
    }

    // ---------------------------------------------------------------- origins and raises

    /** {@return a fresh one, to be thrown; it shows what the origin has suppressed so far} */
    final Unwind raise(FiberImpl<?> in) {
        wasRaised = true;
        Unwind raise = copy();
        raise.raisedIn = in;
        for (Throwable each : getSuppressed()) {
            raise.addSuppressed(each);
        }
        return raise;
    }

    final boolean wasRaised() {
        return wasRaised;
    }

    /** {@return a raise of the same kind} */
    abstract Unwind copy();

    final Unwind origin() {
        return origin == null ? this : origin;
    }

    /**
     * The exception that stands for the thrown one in its fiber or scope: the origin of a raise, or
     * the exception itself.
     */
    static Throwable originOf(Throwable thrown) {
        return thrown instanceof Unwind signal ? signal.origin() : thrown;
    }

    /** {@return the thrown if it is one, or the one that its chain of causes ends in} */
    private static @Nullable Unwind endOfCauses(Throwable thrown) {
        Throwable each = thrown;
        try {
            for (int i = 0; each != null && i < MAX_CAUSES; i++) {
                if (each instanceof Unwind found) {
                    return found;
                }
                each = each.getCause();
            }
        } catch (Throwable broken) {
            return null; // a getCause of the user's: its fiber ends all the same
        }
        return null;
    }

    /**
     * The signal that the thrown is in the fiber: itself, or the raise that it wraps, by
     * reflection, a proxy, a future or a {@code catch (Throwable t)}. A wrapped one is the fiber's
     * if it was raised there and is not over. This is the one place that decides it.
     */
    public static @Nullable Unwind signalIn(Throwable thrown, @Nullable FiberImpl<?> fiber) {
        Unwind found = endOfCauses(thrown);
        return found == thrown || (found != null && found.isWrappedFor(fiber)) ? found : null;
    }

    private boolean isWrappedFor(@Nullable FiberImpl<?> fiber) {
        return fiber != null && raisedIn == fiber && !origin().isOver;
    }

    /** {@return whether the thrown is a raise of this origin, or wraps one} */
    final boolean isRaisedBy(Throwable thrown) {
        Unwind found = endOfCauses(thrown);
        return found != null && found.origin() == this;
    }

    /** Of an origin: the fiber or scope that it ended is over. */
    final void over() {
        isOver = true;
    }

    /**
     * The exception that stands for the thrown one at the edge of the fiber: the origin of its
     * signal, which has taken over the failures that the raise suppressed, and its wrapper; or the
     * exception itself.
     */
    static Throwable atEdge(Throwable thrown, FiberImpl<?> fiber) {
        Unwind raise = signalIn(thrown, fiber);
        if (raise == null || raise.origin == null) {
            return thrown;
        }
        moveFailures(raise, raise.origin);
        if (thrown != raise && !isSuppressedIn(raise.origin, thrown)) {
            raise.origin.addSuppressed(thrown);
        }
        return raise.origin;
    }

    /**
     * A raise among the suppressed is no failure: its origin stands elsewhere, and is raised again
     * if it is not over.
     */
    private static void moveFailures(Unwind from, Unwind to) {
        for (Throwable each : from.getSuppressed()) {
            Unwind raise = signalIn(each, from.raisedIn);
            if (raise != null && raise.origin != null && !carriesFailure(each)) {
                moveFailures(raise, to);
            } else if (each != to && !isSuppressedIn(to, each)) {
                to.addSuppressed(each);
            }
        }
    }

    /** Whether anything failed on the way from the raise to its wrapper. */
    private static boolean carriesFailure(Throwable wrapper) {
        Throwable each = wrapper;
        for (int i = 0; each != null && !(each instanceof Unwind) && i < MAX_CAUSES; i++) {
            for (Throwable hidden : each.getSuppressed()) {
                if (endOfCauses(hidden) == null) {
                    return true;
                }
            }
            each = each.getCause();
        }
        return false;
    }

    /**
     * Of an origin: the failures while it was on its way; an exception that only wraps a raise is
     * not one.
     */
    final List<Throwable> failures() {
        List<Throwable> failures = new ArrayList<>();
        for (Throwable each : getSuppressed()) {
            if (!isRaisedBy(each) || carriesFailure(each)) {
                failures.add(each);
            }
        }
        return failures;
    }

    /** Whether the one, or a raise of it, is among what the other has suppressed already. */
    static boolean isSuppressedIn(Throwable other, Throwable one) {
        for (Throwable each : other.getSuppressed()) {
            if (originOf(each) == originOf(one)) {
                return true;
            }
        }
        return false;
    }

    /** Of an origin: counts one more raise; false when that is one too many. */
    final boolean mayRaiseAgain() {
        return ++raises <= MAX_RAISES;
    }

    /** Of an origin: the failure of a child that was awaited where this was raised. */
    final void noteTaken(FiberFailedException failure) {
        List<FiberFailedException> more = new ArrayList<>(taken);
        more.add(failure);
        taken = more;
    }

    final List<FiberFailedException> taken() {
        return taken;
    }

    // ---------------------------------------------------------------- the kinds

    /** Ends the fiber for good. */
    abstract static sealed class End extends Unwind {
        private static final long serialVersionUID = 1L;

        private End(@Nullable Unwind origin, @Nullable String message) {
            super(origin, message, null);
        }
    }

    /** Ends the fiber without a result. */
    public static final class Terminate extends End {
        private static final long serialVersionUID = 1L;

        public Terminate(String message) {
            super(null, message);
        }

        private Terminate(Terminate origin) {
            super(origin, origin.getMessage());
        }

        @Override
        Unwind copy() {
            return new Terminate(this);
        }
    }

    /** Ends the fiber with a result. */
    public static final class Stop extends End {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // signals never leave the process
        final @Nullable Object result;

        public Stop(String message, @Nullable Object result) {
            super(null, message);
            this.result = result;
        }

        private Stop(Stop origin) {
            super(origin, origin.getMessage());
            this.result = origin.result;
        }

        @Override
        Unwind copy() {
            return new Stop(this);
        }
    }

    /** Leaves the body and runs it again. */
    static final class Restart extends Unwind {
        private static final long serialVersionUID = 1L;

        Restart(String message) {
            super(null, message, null);
        }

        private Restart(Restart origin) {
            super(origin, origin.getMessage(), null);
        }

        @Override
        Unwind copy() {
            return new Restart(this);
        }
    }

    /** A child failed without an awaiter or supervisor: the parent's body is cancelled. */
    static final class ChildFailed extends Unwind {
        private static final long serialVersionUID = 1L;

        /** Made with the child's stack of causes; becomes the parent's failure. */
        final FiberFailedException failure;

        ChildFailed(FiberFailedException failure) {
            super(null, failure.getMessage(), failure);
            this.failure = failure;
        }

        private ChildFailed(ChildFailed origin) {
            super(origin, origin.getMessage(), origin.failure);
            this.failure = origin.failure;
        }

        @Override
        Unwind copy() {
            return new ChildFailed(this);
        }
    }

    /** Leaves one cancel scope; only that scope catches it. */
    public static final class Cancel extends Unwind {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // signals never leave the process
        final ScopeNode scope;

        /** Otherwise it was cancelled by a call. */
        final boolean isTimeout;

        /** The reason of the fiber's wait at that moment; null if it did not wait. */
        @SuppressWarnings("serial") // signals never leave the process
        final @Nullable Object waitedFor;

        Cancel(ScopeNode scope, boolean isTimeout, @Nullable Object waitedFor) {
            super(null, "a cancel scope is being left", null);
            this.scope = scope;
            this.isTimeout = isTimeout;
            this.waitedFor = waitedFor;
        }

        private Cancel(Cancel origin) {
            super(origin, origin.getMessage(), null);
            this.scope = origin.scope;
            this.isTimeout = origin.isTimeout;
            this.waitedFor = origin.waitedFor;
        }

        @Override
        Unwind copy() {
            return new Cancel(this);
        }
    }
}
