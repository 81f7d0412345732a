package dev.ropewalk.fibers.internal.stack;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.TimeUnit;

/**
 * Finds that nobody has the baton any more, so that the cord ends with a line and does not stand
 * still.
 *
 * <p>By its source (JDK 25, ForkJoinPool.runWorker) the JDK's scheduler loses a thread that was to
 * run if it cannot start one more carrier, without memory or at the limit of the system's threads:
 * the carrier that has taken the thread from the queue ends, and nothing is told. No later wake-up
 * helps, because the lost thread counts as one that is to run. It has not seen the baton; but one
 * that waits long for a carrier has not either. So when the baton is late, other threads are
 * started, one after the other: if each of them comes to run, or cannot be started, and the baton
 * is still where it was, its thread is lost.
 *
 * <p>And a thread may end between two steps of the way of the baton, because the JVM needs memory
 * for code that runs for the first time; that was seen.
 *
 * <p>Confined to the thread of the root frame, which waits for the baton meanwhile. Rejected: to
 * look from each thread that gives it, because a timed wait of a virtual thread takes a timer of
 * the JDK.
 */
public final class BatonWatch {
    static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

    /** Looks, and for a baton that is late also threads that were started. */
    static final int MAX = 4;

    private boolean wasAsked;
    private long askedNs;
    private int missing;
    private int late;
    private @Nullable Probe probe;

    /** A thread beside the one that is late. */
    private static final class Probe implements Runnable {
        private volatile boolean hasRun;

        @Override
        public void run() {
            hasRun = true;
        }
    }

    /**
     * Links what a call of {@link #isLost} takes, because later there may be no memory for that.
     */
    public BatonWatch() {
        isLate(new Baton());
    }

    /** A wait begins; a baton that was missing in the one before was on its way. */
    public void begin() {
        wasAsked = false;
    }

    /**
     * To be asked at least once in LOOK_NS. If true, the thread of that stack never gets the baton.
     *
     * @param given the stack that the baton was given to, or null if it was to come here
     */
    public boolean isLost(@Nullable PortableStack given, long nowNs) {
        if (!wasAsked) {
            wasAsked = true;
            missing = 0;
            askedNs = nowNs;
        }
        if (nowNs - askedNs < LOOK_NS) {
            return false;
        }
        askedNs = nowNs;
        if (given == null || !given.thread().isAlive()) {
            missing++;
            return missing == MAX;
        }
        missing = 0;
        return isLate(given.baton);
    }

    boolean isLate(Baton given) {
        if (!given.isLate()) {
            late = 0;
            probe = null;
            return false;
        }
        if (probe != null && !probe.hasRun) {
            return false;
        }
        if (late == MAX) {
            return given.takeBack();
        }
        late++;
        probe = start();
        return false;
    }

    private static @Nullable Probe start() {
        try {
            Probe started = new Probe();
            Thread.ofVirtual().name("baton probe").start(started);
            return started;
        } catch (Throwable full) {
            return null; // as good as one that has run: the scheduler gets no memory
        }
    }
}
