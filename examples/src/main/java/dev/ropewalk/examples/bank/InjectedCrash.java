package dev.ropewalk.examples.bank;

/** The crash that {@code --chaos} asks for. */
final class InjectedCrash extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InjectedCrash(String where) {
        // No stack trace: at a high rate, filling them in would be most of the work.
        super("injected crash " + where, null, false, false);
    }
}
