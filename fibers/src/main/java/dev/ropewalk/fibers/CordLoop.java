package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * Who runs next on a cord: the loop of its own thread, or turns beside other cords.
 *
 * <p>Confined to the cord's thread, but for what says otherwise.
 */
abstract sealed class CordLoop extends CordMount permits CordFibers {
    private static final Turn[] TURNS = Turn.values();

    CordLoop(CordOptions options, Platform platform, @Nullable Scheduler scheduler) {
        super(options, platform, scheduler);
    }

    // ---------------------------------------------------------------- the loop

    /** The root frame: returns when the root fiber has ended. */
    final void runFibers() {
        CurrentCord.set(self());
        loopThread = Thread.currentThread();
        current = loopThread;
        if (!platform.isVirtual()) {
            activity = Activity.BUSY;
            Ticker.INSTANCE.add(self(), options.watch());
            Ticker.INSTANCE.cordBecameBusy();
        }
        if (hooks != null) {
            hooks.begin(options.switchHooks(), root());
        }
        enqueue(root(), Handler.START);
        for (Fiber<?> fiber = next(); fiber != null; fiber = next()) {
            enter(fiber);
        }
    }

    /** No fiber runs any more; this thread is no cord from now on. */
    final void stopRunning() {
        if (!platform.isVirtual()) {
            Ticker.INSTANCE.remove(self());
        }
        endIdleStacks();
        runQueue.forgetTaken();
        if (hooks != null) {
            hooks.showThreadsOwn();
        }
        CurrentCord.remove();
        current = null;
    }

    /** The next entry, waiting for one if need be; null when the root fiber has ended. */
    private @Nullable Fiber<?> next() {
        for (; ; ) {
            if (--untilPoll <= 0 || marked) {
                pollInTurn();
            }
            enterReadyStacks();
            Fiber<?> fiber = takeEntry();
            if (fiber == null && tasks != null) {
                startTask(tasks);
                fiber = runQueue.take();
            }
            if (fiber != null) {
                return fiber;
            }
            if (root().outcome() != null && !hasNobodysStacks()) {
                return null;
            }
            idle();
        }
    }

    private @Nullable Fiber<?> takeEntry() {
        if (orderSeeded && runQueue.size() > 1) {
            runQueue.swapToHead(platform.nextInt(runQueue.size()));
        }
        return runQueue.take();
    }

    // ---------------------------------------------------------------- in turns with other cords

    /** What a cord could do next if it had a thread for itself. */
    private enum Turn {
        FIBER,
        MESSAGE,
        TIMERS,
        END
    }

    private boolean can(Turn turn) {
        return switch (turn) {
            case FIBER -> hasRunnable();
            case MESSAGE -> !inbox.isEmpty();
            case TIMERS -> isTimerDue();
            case END -> root().outcome() != null && !hasRunnable();
        };
    }

    private boolean isTimerDue() {
        Timer next = timers.earliest();
        return next != null && next.deadlineNs - platform.nanoTime() <= 0;
    }

    /** Whether there is anything to do before time passes or somebody sends a message. */
    final boolean hasTurn() {
        return hasRunnable() || !inbox.isEmpty() || isTimerDue() || can(Turn.END);
    }

    /**
     * Does one thing of those that there are to do; which one is drawn from the seed. One message
     * at a time, for a thread that polls may see the first and not yet the second.
     *
     * @return false if it has come to its end, which is its driver's to carry out
     */
    final boolean takeTurn() {
        runQueue.forgetTaken();
        Turn turn = drawTurn();
        switch (turn) {
            case FIBER ->
                    asCurrent(() -> enter(Objects.requireNonNull(takeEntry(), "runnable fiber")));
            case MESSAGE -> asCurrent(() -> inbox.drain(1));
            case TIMERS -> asCurrent(() -> timers.fireDue(platform.nanoTime()));
            case END -> {}
        }
        return turn != Turn.END;
    }

    private Turn drawTurn() {
        Turn drawn = null;
        int seen = 0;
        for (Turn each : TURNS) {
            if (can(each) && platform.nextInt(++seen) == 0) {
                drawn = each;
            }
        }
        return Objects.requireNonNull(drawn, "no turn");
    }

    /** The calling thread is this cord meanwhile, and no fiber runs there. */
    final void asCurrent(Runnable code) {
        CurrentCord.set(self());
        loopThread = Thread.currentThread();
        current = loopThread;
        try {
            code.run();
        } finally {
            current = null;
            CurrentCord.remove();
        }
    }

    // ---------------------------------------------------------------- for dumps and counters

    /** On any thread; on another than the cord's each number is a hint. */
    final CordStats readStats() {
        int length = runQueue.size();
        return new CordStats(
                switches + (POLL_INTERVAL - untilPoll),
                polls,
                messages,
                started,
                ended,
                sleeps,
                Duration.ofNanos(sleptNs),
                length,
                Math.max(length, maxRunnable),
                timers.size(),
                inbox.size(),
                idleStacks(),
                tasks == null ? 0 : tasks.size());
    }

    final void forgetMostRunnable() {
        maxRunnable = 0;
    }

    /** Null without a timer. */
    final @Nullable Duration untilNextTimer() {
        Timer next = timers.earliest();
        return next == null ? null : Duration.ofNanos(next.deadlineNs - platform.nanoTime());
    }

    final void checkLoop() {
        runQueue.checkInvariants();
        timers.checkInvariants();
    }
}
