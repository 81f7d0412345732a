package dev.ropewalk.fibers.observe;

/** A fiber has run longer than its slice without yielding; see {@link Slice#checkpoint}. */
public final class SliceExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Made by the library.
     *
     * @param message what happened, to which object, and the remedy
     */
    public SliceExceededException(String message) {
        super(message);
    }
}
