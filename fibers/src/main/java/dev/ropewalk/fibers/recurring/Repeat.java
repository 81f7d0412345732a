package dev.ropewalk.fibers.recurring;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;

/**
 * A loop of {@link Timed}, as its action sees it: which run this is, and how to make it the last.
 * Confined to the fiber of the loop.
 */
public final class Repeat {
    /*
     * Ticks of a period are numbered from 1; tick n comes at n periods after the start, so nothing
     * drifts. The loop waits for the first tick that is after the last one it ran and not in the
     * past, and then runs the latest that has come by then:
     *
     *   |----1----2----3----4----5
     *        [a slow run   ] |         2 and 3 are skipped: the run at 4 tells so
     *        [ exactly one ][          a run that ends at a tick does not miss that tick
     *
     * Times are nanoseconds since the start. Clock and multiples may overflow; their differences do
     * not.
     */
    private final Fiber<?> fiber = Fiber.current();
    private final Object every;
    private long number;
    private long skipped;
    private boolean isStopped;
    private boolean isInAction;

    /** {@code every} names the pace, for reports. */
    Repeat(Object every) {
        this.every = every;
    }

    // ---------------------------------------------------------------- for the action

    /**
     * {@return the number of this run, from 1 on} In a loop with a period that is the tick: the run
     * comes {@code number} periods after the start, and ticks that were skipped are counted. In a
     * throttled loop it counts runs.
     */
    public long number() {
        return number;
    }

    /**
     * {@return how many ticks came and went between the run before and this one, because that one
     * took long or the cord was busy} Always 0 in a throttled loop.
     */
    public long skipped() {
        return skipped;
    }

    /**
     * Makes this run the last: the loop ends when the action returns.
     *
     * @throws IllegalStateException if not called by the action, in the fiber of the loop and while
     *     it runs
     */
    public void stop() {
        if (Fiber.currentOrNull() != fiber || !isInAction) {
            throw new IllegalStateException(
                    "stop of "
                            + this
                            + " by "
                            + Fiber.currentOrNull()
                            + (isInAction ? "" : ", while no action of it runs")
                            + ": only its action stops a loop; from elsewhere terminate the fiber,"
                            + " or cancel a CancelScope around the loop");
        }
        isStopped = true;
    }

    // ---------------------------------------------------------------- the loops

    <X extends Exception> void atTicks(long startNs, long periodNs, RepeatAction<X> action)
            throws X {
        while (!isStopped) {
            awaitTick(startNs, periodNs);
            run(action);
        }
    }

    private void awaitTick(long startNs, long periodNs) {
        long elapsedNs = Waits.nanoTime() - startNs;
        long next = Math.max(number + 1, Math.ceilDiv(elapsedNs, periodNs));
        sleepUntil(startNs, next * periodNs, this);
        long latest = (Waits.nanoTime() - startNs) / periodNs;
        skipped = latest - number - 1;
        number = latest;
    }

    <X extends Exception> void throttled(Throttle throttle, long most, RepeatAction<X> action)
            throws X {
        while (!isStopped && number < most) {
            throttle.acquire();
            number++;
            run(action);
        }
    }

    private <X extends Exception> void run(RepeatAction<X> action) throws X {
        isInAction = true;
        try {
            action.run(this);
        } finally {
            isInAction = false;
        }
    }

    /** Waits until that time since the start has come; also if it has, a switchpoint. */
    static void sleepUntil(long startNs, long untilNs, Object reason) {
        long leftNs = untilNs - (Waits.nanoTime() - startNs);
        if (leftNs <= 0) {
            Waits.yieldTurn();
            return;
        }
        // Once, unless the time is longer than a timer can be.
        for (; leftNs > 0; leftNs = untilNs - (Waits.nanoTime() - startNs)) {
            Waits.park(reason, leftNs);
        }
        Waits.raiseIfDue(); // it was ended after its timer had fired, before it ran
    }

    @Override
    public String toString() {
        return "a loop every "
                + (every instanceof Duration period ? period : "run of " + every)
                + " in "
                + fiber;
    }
}
