package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.reactor.Reactor;
import dev.ropewalk.fibers.observe.WatchdogHandler;
import dev.ropewalk.fibers.observe.WatchdogReport;

import java.time.Duration;

/**
 * Finds a reactor that its cord does not poll while it has sockets, whose bytes wait meanwhile: in
 * the kernel, or written and not sent (rule F13). It is told once; a poll ends the episode.
 *
 * <p>A reactor counts its polls anyway, so the cord pays nothing for it. A cord that sleeps waits
 * in its reactor; one that handles what woke it is busy, see {@link CordImpl#wakesForIo}. Time is
 * counted in ticks of {@link CordWatch#MAX_PER_TICK_NS} at most, as there.
 *
 * <p>Confined to the ticker's thread.
 */
final class ReactorWatch {
    private final CordImpl cord;
    private final WatchdogHandler handler;
    private final Watchdog watchdog;
    private final long limitNs;

    /** The reactor's count at the last tick. */
    private long polls;

    private long lastTickNs;

    /** For how long it has been the same, by the ticks. */
    private long countedNs;

    /** The last tick found the cord busy, and its reactor there. */
    private boolean isCounting;

    private boolean isTold;

    ReactorWatch(CordImpl cord, WatchdogHandler handler, Watchdog watchdog, long limitNs) {
        this.cord = cord;
        this.handler = handler;
        this.watchdog = watchdog;
        this.limitNs = limitNs;
    }

    /** Each time that the ticker comes. */
    void tick(boolean isBusy, long nowNs) {
        Reactor io = isBusy ? cord.platform.reactor() : null;
        if (io == null) {
            isCounting = false;
        } else {
            step(io.polls(), io.sockets(), io.unsent(), nowNs);
        }
    }

    /** Of a cord that is busy: its reactor's count, and how much waits in it. */
    void step(long pollsNow, int sockets, int unsent, long nowNs) {
        if (!isCounting || pollsNow != polls) {
            isCounting = true;
            polls = pollsNow;
            countedNs = 0;
            isTold = false;
        } else {
            countedNs += Math.min(nowNs - lastTickNs, CordWatch.MAX_PER_TICK_NS);
        }
        lastTickNs = nowNs;
        if (countedNs >= limitNs && !isTold && sockets + unsent > 0) {
            isTold = true;
            FiberImpl<?> running = cord.loop.running(); // a hint, from this thread
            WatchdogReport.SilentReactor report =
                    new WatchdogReport.SilentReactor(
                            cord, running, Duration.ofNanos(countedNs), sockets, unsent);
            watchdog.hand(() -> StuckEpisode.tell(handler, report));
        }
    }
}
