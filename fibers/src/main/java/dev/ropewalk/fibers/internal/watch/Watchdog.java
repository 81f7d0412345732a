package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.observe.WatchdogHandler;
import dev.ropewalk.fibers.observe.WatchdogReport;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The watchdog of the process: finds whether all cords are stuck at once, and has reports made away
 * from the ticker, which serves all cords and must not wait (rule F13).
 *
 * <p>Reports are made one after the other on a thread that is there while there are some: a stack
 * is taken when its thread comes to a safepoint, and a handler may do anything.
 *
 * <p>Confined to the ticker's thread.
 */
final class Watchdog {
    private static final Log LOG = Logs.logger(Watchdog.class);

    private final Executor reporter;
    private final List<CordWatch> stuck = new ArrayList<>();
    private boolean isAllTold;

    Watchdog(Executor reporter) {
        this.reporter = reporter;
    }

    void stuck(CordWatch watch) {
        stuck.add(watch);
    }

    void moves(CordWatch watch) {
        stuck.remove(watch);
        isAllTold = false;
    }

    /** After each cord has had its tick. */
    void afterTick(Collection<CordWatch> all, long nowNs) {
        if (stuck.isEmpty()) {
            return;
        }
        try {
            for (CordWatch each : List.copyOf(stuck)) {
                if (each.hasEnded()) {
                    each.step(false, false, nowNs); // it gets no tick any more
                }
            }
            if (!isAllTold && stuck.size() > 1) {
                tellIfAll(all);
            }
        } catch (Throwable broken) {
            survive(broken);
        }
    }

    private void tellIfAll(Collection<CordWatch> all) {
        List<CordImpl> cords = new ArrayList<>();
        Set<WatchdogHandler> handlers = Collections.newSetFromMap(new IdentityHashMap<>());
        for (CordWatch each : all) {
            if (each.isWatched() && !each.isStuck()) {
                return;
            }
            if (each.isWatched()) {
                cords.add(each.cord);
                handlers.add(each.handler());
            }
        }
        isAllTold = true;
        WatchdogReport.AllStuck report = new WatchdogReport.AllStuck(List.copyOf(cords));
        hand(() -> Alarms.tell(report));
        for (WatchdogHandler handler : handlers) {
            hand(() -> StuckEpisode.tell(handler, report));
        }
    }

    /** Has it done away from the ticker, in order. */
    void hand(Runnable job) {
        reporter.execute(job);
    }

    /** The ticker goes on after any failure, even if no thread can be made. */
    void survive(Throwable broken) {
        try {
            LOG.error("the watchdog failed; the cords are not affected", broken);
        } catch (Throwable worse) {
            // The failure cannot be told anywhere.
        }
    }

    // ---------------------------------------------------------------- the reporter

    /** A thread that goes when it has had nothing to do for a while. */
    static Executor reporterThread() {
        return new Reporter();
    }

    private static final class Reporter extends ThreadPoolExecutor {
        private static final int MAX_PENDING = 1_024;
        private static final long KEPT_S = 5;

        private final AtomicInteger dropped = new AtomicInteger();

        Reporter() {
            super(
                    1,
                    1,
                    KEPT_S,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(MAX_PENDING),
                    new ItsThread());
            setRejectedExecutionHandler(new Dropped());
            allowCoreThreadTimeOut(true);
        }

        @Override
        protected void beforeExecute(Thread thread, Runnable job) {
            int lost = dropped.getAndSet(0);
            if (lost > 0) {
                LOG.error("{} steps of the watchdog were lost behind a slow stuck handler", lost);
            }
        }

        private static final class ItsThread implements ThreadFactory {
            @Override
            public Thread newThread(Runnable work) {
                Thread thread = new Thread(null, work, "ropewalk-watchdog", 0, false);
                thread.setDaemon(true);
                thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
                return thread;
            }
        }

        private final class Dropped implements RejectedExecutionHandler {
            @Override
            public void rejectedExecution(Runnable job, ThreadPoolExecutor full) {
                dropped.incrementAndGet();
            }
        }
    }
}
