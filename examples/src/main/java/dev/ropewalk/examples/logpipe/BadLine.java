package dev.ropewalk.examples.logpipe;

/** A line is in neither format; the message says where it departs from them. */
final class BadLine extends Exception {
    private static final long serialVersionUID = 1L;

    BadLine(String message) {
        // No stack trace: a file in another format has nothing but such lines.
        super(message, null, false, false);
    }
}
