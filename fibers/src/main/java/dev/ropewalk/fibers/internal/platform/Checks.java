package dev.ropewalk.fibers.internal.platform;

/** Switch for asserts on the fast path; a constant, so that they compile away when it is off. */
public final class Checks {
    /** Set by the tests: {@code -Dropewalk.checks=true}. */
    public static final boolean ON = Boolean.getBoolean("ropewalk.checks");

    private Checks() {}
}
