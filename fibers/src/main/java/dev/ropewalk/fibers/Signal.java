package dev.ropewalk.fibers;

/**
 * What the library itself raises in a fiber. An {@code Error}, so that {@code catch (Exception e)}
 * in user code swallows none (rule F6); it turns into an exception at the edge that owns it.
 */
abstract sealed class Signal extends Error {
    private static final long serialVersionUID = 1L;

    private Signal(String message, Throwable cause) {
        super(message, cause, true, false);
    }

    private Signal(String message) {
        super(message, null, true, false);
    }

    /** Ends the fiber; stays pending until it has, so that every switchpoint raises it again. */
    static final class Terminate extends Signal {
        private static final long serialVersionUID = 1L;

        Terminate(String message) {
            super(message);
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
}
