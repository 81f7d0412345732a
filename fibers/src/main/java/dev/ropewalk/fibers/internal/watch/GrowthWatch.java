package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.observe.WatchdogHandler;
import dev.ropewalk.fibers.observe.WatchdogReport;

import java.util.EnumMap;
import java.util.Map;

/**
 * Finds queues of a cord that grow beyond all measure: nothing bounds them, so this is told rather
 * than found out when the memory is full (rule F13).
 *
 * <p>A queue is told once when it is longer than the limit, and again each time it has doubled;
 * when it has become shorter than half of the limit, the next time is a first one again.
 *
 * <p>Confined to the ticker's thread. The lengths of inbox and tasks are counted one by one, hence
 * the rare check.
 */
final class GrowthWatch {
    /** More than the million fibers that a program may well spin at once. */
    static final int LIMIT = 1 << 20;

    /** Ticks of a busy cord between two checks. */
    static final int TICKS = 1_024;

    private final CordImpl cord;
    private final WatchdogHandler handler;
    private final Watchdog watchdog;

    /** For each queue, the length that is told next. */
    private final Map<WatchdogReport.Growing.Queue, Long> next =
            new EnumMap<>(WatchdogReport.Growing.Queue.class);

    private int ticks;

    GrowthWatch(CordImpl cord, WatchdogHandler handler, Watchdog watchdog) {
        this.cord = cord;
        this.handler = handler;
        this.watchdog = watchdog;
    }

    /** While the cord is busy. */
    void tick() {
        if (++ticks == TICKS) {
            ticks = 0;
            CordStats stats = cord.readStats();
            found(WatchdogReport.Growing.Queue.INBOX, stats.inbox());
            found(WatchdogReport.Growing.Queue.RUN_QUEUE, stats.runnable());
            found(WatchdogReport.Growing.Queue.TASKS, stats.tasks());
        }
    }

    /** Notes that the queue has this length now. */
    void found(WatchdogReport.Growing.Queue queue, int length) {
        if (length < LIMIT / 2) {
            next.remove(queue);
        } else if (length >= next.getOrDefault(queue, (long) LIMIT)) {
            next.put(queue, 2L * length);
            WatchdogReport.Growing report = new WatchdogReport.Growing(cord, queue, length);
            watchdog.hand(() -> StuckEpisode.tell(handler, report));
        }
    }
}
