package dev.ropewalk.actors.top;

/** The command cannot go on; its message is for people, on one line. */
final class Stopped extends Exception {
    static final int NOT_THERE = 1;
    static final int BAD_OPTION = 2;
    static final int OUTPUT_FAILED = 3;

    private static final long serialVersionUID = 1L;

    private final int status;

    private Stopped(int status, String message) {
        super(Plain.escaped(message));
        this.status = status;
    }

    /** The process, or its observer, is not there any more, or is none. */
    static Stopped notThere(String message) {
        return new Stopped(NOT_THERE, message);
    }

    static Stopped badOption(String message) {
        return new Stopped(BAD_OPTION, message);
    }

    static Stopped outputFailed(String message) {
        return new Stopped(OUTPUT_FAILED, message);
    }

    int status() {
        return status;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
