package dev.ropewalk.fibers;

/**
 * Tells that a fiber cannot wait where it is, because its stack holds something that cannot be
 * suspended: a native frame or a class initialiser, and in the debug mode of the JVM a monitor. The
 * message says which of them, as far as that is known, and what to do.
 */
public final class StackPinnedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** Of a class initialiser too: it is called by native code. */
    static final String NATIVE_FRAME =
            "Waiting is not possible inside a class initialiser or below a native frame; move the"
                    + " waiting call out of it, or wrap the code around it in Blocking.call.";

    static final String MONITOR =
            "Waiting is not possible while a monitor is held; move the waiting call out of the"
                    + " synchronized block or method, or use a Mutex of fibers.sync in its place.";

    static final String PINNED_CODE =
            "Waiting is not possible in a switch hook, in a trace, or in code of the JDK that has"
                    + " pinned the stack; spin a fiber there that waits, or move the waiting call"
                    + " out of it.";

    static final String NO_ROOM =
            "The JVM could not copy it: there was no memory for the copy, or no room left on the"
                    + " stack. Raise -Xmx or CordOptions.withStackSize, or give the recursion a"
                    + " bound.";

    StackPinnedException(String message) {
        super(message);
    }
}
