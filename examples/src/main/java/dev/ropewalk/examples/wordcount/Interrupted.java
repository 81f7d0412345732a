package dev.ropewalk.examples.wordcount;

/** Raised by Ctrl-C in the fiber that counts. */
final class Interrupted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Interrupted() {
        super("interrupted from the keyboard", null, false, false);
    }
}
