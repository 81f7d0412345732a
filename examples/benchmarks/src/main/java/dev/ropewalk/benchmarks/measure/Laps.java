package dev.ropewalk.benchmarks.measure;

import org.jspecify.annotations.Nullable;

/**
 * Measures a ring without its making: a first lap, which starts every actor, comes before the
 * operations that count, and the stopwatch runs from the first of these to the last.
 *
 * <p>One at a time in a process; several rings at once begin with the first and end with the last.
 */
public final class Laps {
    /** Written before the actors are made. */
    private static long operations;

    /** The thread of the last hop, while that is counted; read by the actor of the next one. */
    private static int passedOn;

    private static volatile @Nullable Stopwatch running;
    private static volatile long elapsedNs;

    private Laps() {}

    /** {@return the hops of a ring of so many actors: the operations and one lap} */
    public static long hops(long counted, int actors) {
        operations = counted;
        passedOn = 0;
        running = null;
        elapsedNs = 0;
        return counted + actors;
    }

    /** {@return what the sum starts with, so that the first lap adds nothing} */
    public static long sum(long counted, int actors) {
        return -(counted * actors + (long) actors * (actors + 1) / 2);
    }

    /** Called for each hop with the number that is left, this one included. */
    public static void passed(long left) {
        if (Sharing.isCounted()) {
            Sharing.received(passedOn);
            passedOn = Sharing.here();
        }
        if (left == operations && running == null) {
            running = new Stopwatch();
        } else if (left == 1) {
            Stopwatch stopwatch = running;
            elapsedNs = stopwatch == null ? 0 : stopwatch.elapsedNs();
        }
    }

    /** {@return the time of the last ring, once; 0 if none was measured} */
    static long takeElapsedNs() {
        long elapsed = elapsedNs;
        elapsedNs = 0;
        return elapsed;
    }
}
