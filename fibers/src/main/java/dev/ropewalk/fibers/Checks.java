package dev.ropewalk.fibers;

/** Switch for asserts on the fast path; a constant, so that they compile away when it is off. */
final class Checks {
    /** Set by the tests: {@code -Dropewalk.checks=true}. */
    static final boolean ON = Boolean.getBoolean("ropewalk.checks");

    private Checks() {}
}
