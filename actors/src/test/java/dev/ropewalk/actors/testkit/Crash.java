package dev.ropewalk.actors.testkit;

/** What these tests fail actors with. */
public final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Crash(Object why) {
        super(String.valueOf(why), null, false, false);
    }
}
