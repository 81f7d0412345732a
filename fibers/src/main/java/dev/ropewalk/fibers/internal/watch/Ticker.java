package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.report.DumpProperty;
import dev.ropewalk.fibers.observe.WatchOptions;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One daemon thread per process that marks each busy cord every millisecond, so that a cord polls
 * its inbox and timers even if its fibers run long between switches (rule F2), and finds cords that
 * do not yield (rule F13).
 *
 * <p>It runs only while a cord is busy. Going to sleep and waking it up is a handshake: it sets
 * {@code asleep} and then reads the cords' busy flags; a cord sets its busy flag and then reads
 * {@code asleep}; so one of the two sees the other.
 */
public final class Ticker {
    /** How late a timer can be beside a fiber that does not yield, and the cost of a poll. */
    static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Ticks without a busy cord before the thread sleeps; a cord that naps does not stop it. */
    private static final int IDLE_TICKS = 20;

    private static final long STACK_SIZE = 256 * 1024;

    public static final Ticker INSTANCE = new Ticker();

    private final List<CordWatch> watches = new CopyOnWriteArrayList<>();
    private final Watchdog watchdog = new Watchdog(Watchdog.reporterThread());
    private final Thread thread;
    private volatile boolean asleep = true;

    private Ticker() {
        thread = new Thread(null, new Ticking(), "ropewalk-ticker", STACK_SIZE, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
        DumpProperty.open(); // with the first cord, whatever its options are
    }

    /**
     * Makes the thread now, because a thread that is restricted to some CPUs, as a cord's may be,
     * hands that on to the threads that it makes.
     */
    public static void ensureStarted() {
        Objects.requireNonNull(INSTANCE, "made by the class initialiser");
    }

    public void add(CordImpl cord, WatchOptions options) {
        watches.add(new CordWatch(cord, options, watchdog));
    }

    public void remove(CordImpl cord) {
        for (CordWatch watch : watches) {
            if (watch.cord == cord) {
                watch.end();
                watches.remove(watch);
                return;
            }
        }
    }

    /** Has it told away from the cord that found it. */
    public void report(Runnable told) {
        watchdog.hand(told);
    }

    /** Called by a cord right after it set its busy flag. */
    public void cordBecameBusy() {
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    /** The state of the thread. */
    private final class Ticking implements Runnable {
        @Override
        public void run() {
            int idleTicks = 0;
            for (; ; ) {
                try {
                    idleTicks = tick() ? 0 : idleTicks + 1;
                    if (idleTicks < IDLE_TICKS) {
                        LockSupport.parkNanos(Ticker.this, TICK_NS);
                    } else {
                        sleepUntilBusy();
                        idleTicks = 0;
                    }
                } catch (OutOfMemoryError full) {
                    // It cannot even be told. The cords need the ticks that come after it.
                    LockSupport.parkNanos(Ticker.this, TICK_NS);
                }
            }
        }
    }

    private boolean tick() {
        boolean anyBusy = false;
        long nowNs = RealPlatform.now();
        for (CordWatch watch : watches) {
            anyBusy |= watch.tick(nowNs);
        }
        watchdog.afterTick(watches, nowNs);
        return anyBusy;
    }

    private void sleepUntilBusy() {
        asleep = true;
        while (!tick()) {
            LockSupport.park(this);
        }
        asleep = false;
    }
}
