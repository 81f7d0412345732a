package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.observe.WatchdogHandler;
import dev.ropewalk.fibers.observe.WatchdogReport;

import jdk.jfr.FlightRecorder;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * The report on a cord that does not yield, from the first suspicion on. Confined to the watchdog's
 * reporter, except {@link #setOver}.
 */
public final class StuckEpisode {
    private static final Log LOG = Logs.logger(StuckEpisode.class);

    private final CordImpl cord;
    private final WatchdogHandler handler;
    private @Nullable FiberImpl<?> fiber;
    private long firstCpuNs = ThreadSampler.UNKNOWN;
    private volatile boolean isOver;

    StuckEpisode(CordImpl cord, WatchdogHandler handler) {
        this.cord = cord;
        this.handler = handler;
    }

    /** By the ticker, as soon as it sees that the cord moves. */
    void setOver() {
        isOver = true;
    }

    void begin() {
        firstCpuNs = ThreadSampler.cpuNs(busyThread());
    }

    void report(@Nullable FiberImpl<?> ran, long ns) {
        fiber = ran;
        List<StackTraceElement> stack = stack();
        WatchdogReport.Monitor monitor = monitor();
        // Read after these, which otherwise are those of something that came later.
        boolean isLate = isOver;
        WatchdogReport.Stuck report =
                new WatchdogReport.Stuck(
                        cord,
                        ran,
                        Duration.ofNanos(ns),
                        cpuTime(),
                        isLate ? List.of() : stack,
                        isLate ? null : monitor);
        toFlightRecorder(report);
        tell(handler, report);
    }

    private static void toFlightRecorder(WatchdogReport.Stuck report) {
        try {
            if (FlightRecorder.isInitialized()) { // the event's class would load the recorder
                CordStuckEvent.commit(report);
            }
        } catch (LinkageError absent) {
            // A JVM without the module jdk.jfr; the handler is told as always.
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "no event was made of: {}", report);
        }
    }

    void reportEnd(long ns) {
        tell(handler, new WatchdogReport.Over(cord, fiber, Duration.ofNanos(ns), cpuTime()));
    }

    private List<StackTraceElement> stack() {
        try {
            return ThreadSampler.stack(cord);
        } catch (Throwable failed) {
            Logs.tellBroken(LOG, failed, "the stack of {} could not be taken", cord);
            return List.of();
        }
    }

    private WatchdogReport.@Nullable Monitor monitor() {
        try {
            return ThreadSampler.monitor(busyThread());
        } catch (Throwable failed) {
            Logs.tellBroken(LOG, failed, "what {} is blocked on could not be found", cord);
            return null;
        }
    }

    private @Nullable Duration cpuTime() {
        long nowNs = ThreadSampler.cpuNs(busyThread());
        boolean isKnown = firstCpuNs != ThreadSampler.UNKNOWN && nowNs != ThreadSampler.UNKNOWN;
        return isKnown ? Duration.ofNanos(nowNs - firstCpuNs) : null;
    }

    /**
     * The thread that the system knows of: on the cord's own one its virtual threads run, but not
     * portable stacks.
     */
    private @Nullable Thread busyThread() {
        return cord.stacks() == StackKind.PORTABLE
                ? cord.loop.currentThread()
                : cord.loop.loopThread();
    }

    public static void tell(WatchdogHandler handler, WatchdogReport report) {
        if (!(report instanceof WatchdogReport.AllStuck)) { // told to each handler, an alarm once
            Alarms.tell(report);
        }
        try {
            handler.stuck(report);
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "a stuck handler failed; it was told: {}", report);
        }
    }
}
