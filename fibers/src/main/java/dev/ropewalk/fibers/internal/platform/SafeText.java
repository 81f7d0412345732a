package dev.ropewalk.fibers.internal.platform;

/** What reports show of an object that is a program's. */
public final class SafeText {
    private SafeText() {}

    /** {@return its text} One that cannot be made fails no report. */
    public static String of(Object shown) {
        try {
            return shown.toString();
        } catch (Throwable broken) {
            return "something whose toString failed: " + broken.getClass().getName();
        }
    }
}
