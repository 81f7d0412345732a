package dev.ropewalk.examples.cli;

/** A command line that cannot be understood; its message is one line for people. */
public final class BadOption extends Exception {
    private static final long serialVersionUID = 1L;

    /** Makes the message one visible line. */
    public BadOption(String message) {
        super(Plain.text(message));
    }
}
