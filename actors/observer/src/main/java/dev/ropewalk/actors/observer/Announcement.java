package dev.ropewalk.actors.observer;

/** Tells where an observer is, on {@code System.err}: the address has the token, and no log may. */
final class Announcement {
    private Announcement() {}

    static void tell(String address) {
        System.err.println("the observer is at " + address);
    }
}
