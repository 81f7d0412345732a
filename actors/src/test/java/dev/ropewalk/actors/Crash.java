package dev.ropewalk.actors;

/** What these tests fail actors with. */
final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Crash(Object why) {
        super(String.valueOf(why), null, false, false);
    }
}
