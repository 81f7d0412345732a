package dev.ropewalk.actors.observer;

/**
 * Tells where an observer is. The address has the token, so it goes to {@code System.err}, for the
 * one that has started the program, and to no log.
 */
final class Announcement {
    private Announcement() {}

    static void tell(String address) {
        System.err.println("the observer is at " + address);
    }
}
