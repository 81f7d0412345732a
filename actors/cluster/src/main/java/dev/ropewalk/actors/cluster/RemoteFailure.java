package dev.ropewalk.actors.cluster;

import org.jspecify.annotations.Nullable;

/**
 * A failure of another node: that exception's class, message, causes and stack, because the class
 * itself need not exist here. The rest beyond 16 KB is left out: the frames that are furthest from
 * the failure, and the last causes.
 */
public final class RemoteFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The name of the class of the exception there. */
    private final String className;

    /** Its message. */
    private final @Nullable String text;

    /**
     * Creates one. For the codec; a program gets it.
     *
     * @param className the class of the exception
     * @param text its message, or null
     * @param cause its cause, or null
     * @param stack where it was made there
     */
    public RemoteFailure(
            String className,
            @Nullable String text,
            @Nullable RemoteFailure cause,
            StackTraceElement[] stack) {
        super(text == null ? className : className + ": " + text, cause, true, true);
        this.className = className;
        this.text = text;
        setStackTrace(stack);
    }

    /** {@return the name of the class of the exception} */
    public String className() {
        return className;
    }

    /** {@return the message of the exception, or null} */
    public @Nullable String text() {
        return text;
    }

    /** The frames are those of the other node. */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
