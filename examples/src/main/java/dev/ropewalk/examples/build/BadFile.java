package dev.ropewalk.examples.build;

import dev.ropewalk.examples.cli.Plain;

/** A file of tasks that cannot be built as it is; its message is one line for people. */
final class BadFile extends Exception {
    private static final long serialVersionUID = 1L;

    BadFile(String message) {
        super(Plain.text(message));
    }
}
