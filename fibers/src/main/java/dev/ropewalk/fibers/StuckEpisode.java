package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.util.List;

/**
 * What is told of a cord that does not give way, from the first suspicion on. Confined to the
 * watchdog's reporter, but for {@link #setOver}.
 */
final class StuckEpisode {
    private static final Logger LOG = Logs.logger(StuckEpisode.class);

    private final Cord cord;
    private final StuckHandler handler;
    private @Nullable Fiber<?> fiber;
    private long firstCpuNs = ThreadLook.UNKNOWN;
    private volatile boolean isOver;

    StuckEpisode(Cord cord, StuckHandler handler) {
        this.cord = cord;
        this.handler = handler;
    }

    /** By the ticker, as soon as it sees that the cord moves. */
    void setOver() {
        isOver = true;
    }

    void begin() {
        firstCpuNs = ThreadLook.cpuNs(cord.loopThread());
    }

    void report(@Nullable Fiber<?> ran, long ns) {
        fiber = ran;
        List<StackTraceElement> stack = stack();
        StuckReport.Monitor monitor = monitor();
        // Read after these, which otherwise are those of something that came later.
        boolean isLate = isOver;
        StuckReport.Stuck report =
                new StuckReport.Stuck(
                        cord,
                        ran,
                        Duration.ofNanos(ns),
                        cpuTime(),
                        isLate ? List.of() : stack,
                        isLate ? null : monitor);
        toFlightRecorder(report);
        tell(handler, report);
    }

    private static void toFlightRecorder(StuckReport.Stuck report) {
        try {
            CordStuckEvent.commit(report);
        } catch (LinkageError absent) {
            // A JVM without the module jdk.jfr; the handler is told as always.
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "no event was made of: {}", report);
        }
    }

    void reportEnd(long ns) {
        tell(handler, new StuckReport.Over(cord, fiber, Duration.ofNanos(ns), cpuTime()));
    }

    private List<StackTraceElement> stack() {
        try {
            return ThreadLook.stack(cord.currentThread());
        } catch (Throwable failed) {
            Logs.tellBroken(LOG, failed, "the stack of {} could not be taken", cord);
            return List.of();
        }
    }

    private StuckReport.@Nullable Monitor monitor() {
        try {
            return ThreadLook.monitor(cord.loopThread());
        } catch (Throwable failed) {
            Logs.tellBroken(LOG, failed, "what {} is blocked on could not be found", cord);
            return null;
        }
    }

    private @Nullable Duration cpuTime() {
        long nowNs = ThreadLook.cpuNs(cord.loopThread());
        boolean isKnown = firstCpuNs != ThreadLook.UNKNOWN && nowNs != ThreadLook.UNKNOWN;
        return isKnown ? Duration.ofNanos(nowNs - firstCpuNs) : null;
    }

    static void tell(StuckHandler handler, StuckReport report) {
        try {
            handler.stuck(report);
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "a stuck handler failed; it was told: {}", report);
        }
    }
}
