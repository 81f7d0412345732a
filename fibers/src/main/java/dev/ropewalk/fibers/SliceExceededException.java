package dev.ropewalk.fibers;

/** A fiber has run longer than its slice without yielding; see {@link Slice#checkpoint}. */
public final class SliceExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SliceExceededException(String message) {
        super(message);
    }
}
