package dev.ropewalk.fibers.internal.stack;

import jdk.internal.vm.Continuation;

/** The remedies for users where a stack cannot be left. */
public final class PinnedRemedies {
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

    private PinnedRemedies() {}

    /** {@return the error of a stack that cannot be suspended} */
    public static String textOf(Continuation.Pinned reason) {
        String remedy =
                switch (reason) {
                    case NATIVE -> NATIVE_FRAME;
                    case MONITOR -> MONITOR;
                    case CRITICAL_SECTION -> PINNED_CODE;
                    case EXCEPTION -> NO_ROOM;
                };
        return "cannot wait here: the stack is pinned, reason=" + reason + ". " + remedy;
    }
}
