package dev.ropewalk.examples.wordcount;

/** Raised in the run's fiber by Ctrl-C. */
final class Interrupted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Interrupted() {
        super("interrupted from the keyboard", null, false, false);
    }
}
