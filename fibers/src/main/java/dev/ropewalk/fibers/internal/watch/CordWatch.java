package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.observe.WatchOptions;
import dev.ropewalk.fibers.observe.WatchdogHandler;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

/**
 * The ticker's notes on one cord: whether it yields (rule F13).
 *
 * <p>A busy cord polls at the first switch after the ticker's mark, and takes the mark away then.
 * So a mark that is still there at the next tick says that the cord has not come to a switchpoint
 * since, which costs the cord nothing. States; their one writer is {@link #state(State, State)}:
 *
 * <pre>
 *   MOVING -> SILENT   the mark of the last tick is still there
 *   SILENT -> MOVING   it has polled, or sleeps, or has ended
 *   SILENT -> STUCK    silent for the limit: told once
 *   STUCK  -> MOVING   as from SILENT: told once
 * </pre>
 *
 * A cord that sleeps is not busy, and neither is one whose fibers are blocked in calls of the JDK
 * on virtual threads; one that spins may wait for its CPU. All of them are MOVING.
 *
 * <p>Time is counted in ticks of {@link #MAX_PER_TICK_NS} at most. A machine or JVM that stood
 * still stopped the ticker too, and a tick that comes late says nothing about the cord. Rejected:
 * the clock alone, which reports every cord after each long pause.
 *
 * <p>Confined to the ticker's thread, but for {@link #end}.
 */
final class CordWatch {
    static final long MAX_PER_TICK_NS = 10 * Ticker.TICK_NS;

    /** The first poll at the CPU time comes after this part of the limit: it needs a thread. */
    private static final int SUSPICION = 4;

    enum State {
        MOVING,
        SILENT,
        STUCK
    }

    final CordImpl cord;
    private final Watchdog watchdog;
    private final WatchdogHandler handler;
    private final GrowthWatch growth;
    private final ReactorWatch reactor;
    private final long limitNs;
    private State state = State.MOVING;

    /** The cord was busy at the last tick, which left a mark. */
    private boolean isMarked;

    private long lastTickNs;

    /** Since when the mark stands. */
    private long silentSinceNs;

    /** For how long, by the ticks. */
    private long countedNs;

    private @Nullable StuckEpisode episode;
    private volatile boolean hasEnded;

    CordWatch(CordImpl cord, WatchOptions options, Watchdog watchdog) {
        this.cord = cord;
        this.watchdog = watchdog;
        this.handler = options.stuckHandler();
        this.growth = new GrowthWatch(cord, handler, watchdog);
        this.limitNs = Waits.nanos(options.stuckLimit());
        this.reactor = new ReactorWatch(cord, handler, watchdog, limitNs);
    }

    /** Marks the cord if it is busy; true if so. */
    boolean tick(long nowNs) {
        boolean isBusy = !hasEnded && cord.mail.isBusy();
        boolean isSilent = isBusy && cord.loop.mark() && !cord.mail.isSpinning();
        if (isWatched()) {
            try {
                step(isBusy, isSilent, nowNs);
                reactor.tick(isBusy, nowNs);
                if (isBusy) {
                    growth.tick();
                }
            } catch (Throwable broken) {
                watchdog.survive(broken);
            }
        }
        return isBusy;
    }

    /**
     * Handles the result of one tick.
     *
     * @param isSilent the mark of an earlier tick was still there
     */
    void step(boolean isBusy, boolean isSilent, long nowNs) {
        boolean isStill = isBusy && isSilent && isMarked;
        long beforeNs = lastTickNs;
        isMarked = isBusy;
        lastTickNs = nowNs;
        if (isStill) {
            stillSilent(beforeNs, nowNs);
        } else if (state != State.MOVING) {
            moves(nowNs);
        }
    }

    private void stillSilent(long beforeNs, long nowNs) {
        if (state == State.MOVING) {
            state(State.MOVING, State.SILENT);
            silentSinceNs = beforeNs;
            countedNs = 0;
        }
        if (state == State.STUCK) {
            return;
        }
        countedNs += Math.min(nowNs - beforeNs, MAX_PER_TICK_NS);
        if (episode == null && countedNs >= limitNs / SUSPICION) {
            StuckEpisode begun = new StuckEpisode(cord, handler);
            episode = begun;
            watchdog.hand(begun::begin);
        }
        StuckEpisode told = episode;
        if (told != null && countedNs >= limitNs) {
            state(State.SILENT, State.STUCK);
            watchdog.stuck(this);
            FiberImpl<?> running = cord.loop.running(); // a hint, from this thread
            long forNs = countedNs;
            watchdog.hand(() -> told.report(running, forNs));
        }
    }

    private void moves(long nowNs) {
        StuckEpisode over = episode;
        episode = null;
        boolean wasTold = state == State.STUCK;
        state(state, State.MOVING);
        if (over != null) {
            over.setOver();
        }
        if (wasTold && over != null) {
            watchdog.moves(this);
            long tookNs = nowNs - silentSinceNs;
            watchdog.hand(() -> over.reportEnd(tookNs));
        }
    }

    /** The cord has ended; the next tick finds it. Any thread. */
    void end() {
        hasEnded = true;
    }

    boolean hasEnded() {
        return hasEnded;
    }

    boolean isWatched() {
        return limitNs != Long.MAX_VALUE;
    }

    boolean isStuck() {
        return state == State.STUCK;
    }

    WatchdogHandler handler() {
        return handler;
    }

    private void state(State from, State to) {
        if (Checks.ON && state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " of " + cord);
        }
        state = to;
    }
}
