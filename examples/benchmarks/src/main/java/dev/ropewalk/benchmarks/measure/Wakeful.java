package dev.ropewalk.benchmarks.measure;

/** One that says when it is awake, and another that spins until it hears it. */
public final class Wakeful {
    /** Longer than a cord spins before it sleeps, or a cold one is awake each time. */
    private static final long REST_NS = 150_000;

    private volatile long awake = -1;

    /** Called by who was woken, with the number of the wake-up. */
    public void isAwake(long wakeUp) {
        awake = wakeUp;
    }

    /** Spins, for a wait would need a wake-up of its own. */
    public void awaitAwake(long wakeUp) {
        while (awake < wakeUp) {
            Thread.onSpinWait();
        }
    }

    /** Keeps its CPU warm, but leaves it to the one that is to fall asleep if both have but one. */
    @SuppressWarnings("ThreadPriorityCheck") // it is about the system's scheduler
    public static void letItFallAsleep() {
        Stopwatch rest = new Stopwatch();
        while (rest.elapsedNs() < REST_NS) {
            Thread.yield();
        }
    }

    /**
     * {@return {@code n}}
     *
     * @throws IllegalStateException if most of the wake-ups found nobody asleep, so that something
     *     else was measured
     */
    public static long checked(long n, long slept) {
        if (slept < n / 2) {
            throw new IllegalStateException("slept=" + slept + " < wakeUps=" + n + " / 2");
        }
        return n;
    }
}
