package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * What the library itself raises in a fiber. An {@code Error}, so that {@code catch (Exception e)}
 * in user code swallows none (rule F6); it turns into an exception at the edge that owns it.
 */
abstract sealed class Signal extends Error {
    private static final long serialVersionUID = 1L;

    /** How often it may be swallowed before the fiber is abandoned. */
    static final int MOST_RAISES = 1_000;

    private int raises;

    private Signal(String message, @Nullable Throwable cause) {
        super(message, cause, true, false);
    }

    /** Counts one more switchpoint that raises it; false when that is one too many. */
    final boolean mayRaiseAgain() {
        return ++raises <= MOST_RAISES;
    }

    /** Ends the fiber for good. */
    abstract static sealed class End extends Signal {
        private static final long serialVersionUID = 1L;

        private End(String message) {
            super(message, null);
        }
    }

    /** Ends the fiber without a result. */
    static final class Terminate extends End {
        private static final long serialVersionUID = 1L;

        Terminate(String message) {
            super(message);
        }
    }

    /** Ends the fiber with a result. */
    static final class Stop extends End {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // signals never leave the process
        final @Nullable Object result;

        Stop(String message, @Nullable Object result) {
            super(message);
            this.result = result;
        }
    }

    /** Leaves the body and runs it again. */
    static final class Restart extends Signal {
        private static final long serialVersionUID = 1L;

        Restart(String message) {
            super(message, null);
        }
    }

    /** A child failed and nobody awaited or supervised it: the parent's body is cancelled. */
    static final class ChildFailed extends Signal {
        private static final long serialVersionUID = 1L;

        /** Made with the child's stack of causes; becomes the parent's failure. */
        final FiberFailedException failure;

        ChildFailed(FiberFailedException failure) {
            super(String.valueOf(failure.getMessage()), failure);
            this.failure = failure;
        }
    }

    /** Leaves one cancel scope; only that scope catches it. */
    static final class Cancel extends Signal {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // signals never leave the process
        final CancelScope scope;

        /** Else it was cancelled by a call. */
        final boolean isTimeout;

        /** What the fiber waited for at that moment; null if it did not wait. */
        @SuppressWarnings("serial") // signals never leave the process
        final @Nullable Object waitedFor;

        Cancel(CancelScope scope, boolean isTimeout, @Nullable Object waitedFor) {
            super("a cancel scope is being left", null);
            this.scope = scope;
            this.isTimeout = isTimeout;
            this.waitedFor = waitedFor;
        }
    }
}
