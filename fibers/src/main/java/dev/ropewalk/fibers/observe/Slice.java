package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.watch.Slices;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.Objects;

/**
 * The time for which a fiber runs without yielding, checked where the fiber's code asks for it
 * (rule F13): {@link #checkpoint} in a long loop says which one it is that keeps the others
 * waiting.
 *
 * {@snippet file="dev/ropewalk/fibers/observe/WatchSnippetsTest.java" region="slice"}
 *
 * <p>A slice begins whenever the fiber gets its turn: at its start, and after each switchpoint,
 * even if no other fiber was there to run. It is measured by the ticker's milliseconds, so a switch
 * costs nothing for it, and a checkpoint within the first one reads no clock: a slice counts up to
 * a tick less than it took, and as much more as the cord's last poll at its messages took. On a
 * virtual clock no time passes in a slice, so nothing is ever over a limit there.
 *
 * <p>For the running fiber only; where no fiber runs, all methods throw an {@link
 * IllegalStateException}.
 */
public final class Slice {
    private Slice() {}

    /**
     * Checks how long the running fiber has not yielded: past the warning it logs that, once in a
     * slice; past the error limit it throws, each time, until the fiber has come to a switchpoint.
     * It is no switchpoint itself: it neither yields nor raises a pending exception.
     *
     * @throws SliceExceededException if the slice is longer than the error limit; an ordinary
     *     exception of this fiber
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void checkpoint() {
        Fiber<?> fiber = Fiber.current();
        long turnNs = FiberImpl.of(fiber).cord.loop.turnNs();
        if (turnNs > 0) {
            FiberImpl.of(fiber).cord.loop.slices.check(FiberImpl.of(fiber), turnNs);
        }
    }

    /**
     * Yields, as by {@link Fiber#snooze}, if the running fiber has had its turn for longer than the
     * quantum; otherwise goes on at once. So a long loop that calls it in each step leaves the cord
     * to others now and then, and pays for a switch only then. The turn is measured as for {@link
     * #checkpoint}, to a tick, so shorter quanta than a millisecond are like one; a {@link #extend}
     * makes no difference. On a virtual clock it never yields.
     *
     * @param quantum how long a turn may be
     * @return true if it yielded, and so was a switchpoint, which raises a pending exception; false
     *     if it did not
     * @throws IllegalArgumentException if the time is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static boolean snooze(Duration quantum) {
        long quantumNs = Waits.nanos(quantum);
        boolean isOver = CordImpl.of(FiberImpl.current().cord).loop.turnNs() > quantumNs;
        if (isOver) {
            Fiber.snooze();
        }
        return isOver;
    }

    /**
     * Puts off both limits in the current slice; of several calls the times add up.
     *
     * @param more by how much
     * @throws IllegalArgumentException if the time is negative or longer than 292 years
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void extend(Duration more) {
        CordImpl.of(FiberImpl.current().cord).loop.slices.extend(Waits.nanos(more));
    }

    /**
     * Sets the running fiber's own limits in place of the cord's, for this slice and later ones.
     * Others do not inherit them, and a restarted fiber has the cord's again.
     *
     * @param limits the limits
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static void setLimits(SliceLimits limits) {
        Slices.OWN_LIMITS.set(FiberImpl.current(), Objects.requireNonNull(limits, "limits"));
    }
}
