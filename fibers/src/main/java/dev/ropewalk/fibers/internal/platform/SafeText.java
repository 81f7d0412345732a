package dev.ropewalk.fibers.internal.platform;

/** The text by which reports show an object that is a program's. */
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
