package dev.ropewalk.examples.wordcount;

/** A command line that cannot be understood; its message is one line for people. */
final class BadOption extends Exception {
    private static final long serialVersionUID = 1L;

    BadOption(String message) {
        super(Plain.text(message));
    }
}
