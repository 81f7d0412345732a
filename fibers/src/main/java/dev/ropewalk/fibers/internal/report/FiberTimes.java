package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.observe.FiberTime;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How often and how long each fiber of a cord ran, when that is switched on by {@code
 * -Dropewalk.fiberTimes=true}. Confined to the cord.
 *
 * <p>When it is on, each switch reads the clock twice and reads a table. A constant, so that it
 * costs nothing when it is off. Rejected: an option that is switched on per cord or at run time,
 * because then every switch of every cord would read a field to find out that it is off.
 */
public final class FiberTimes {
    public static final boolean ON = Boolean.getBoolean("ropewalk.fiberTimes");

    private static final class Sums {
        private long switches;
        private long ranNs;

        /** The part of it from before the current period. */
        private long earlierNs;
    }

    /** Beside the fibers and not in them, because two fields would cost every fiber. */
    private final Map<FiberImpl<?>, Sums> all = new HashMap<>();

    private @Nullable Sums running;
    private long sinceNs;

    /** When the current period began: with the last top, or the first switch. */
    private long periodNs;

    private boolean hasBegun;

    public void switchIn(FiberImpl<?> fiber, long nowNs) {
        if (!hasBegun) {
            hasBegun = true;
            periodNs = nowNs;
        }
        Sums sums = all.computeIfAbsent(fiber, _ -> new Sums());
        sums.switches++;
        running = sums;
        sinceNs = nowNs;
    }

    /** No effect if no fiber was switched in since: the worker's frame has told it already. */
    public void switchOut(long nowNs) {
        count(nowNs);
        running = null;
    }

    /** The time that the running fiber has used up to now. */
    private void count(long nowNs) {
        Sums sums = running;
        if (sums != null) {
            sums.ranNs += nowNs - sinceNs;
            sinceNs = nowNs;
        }
    }

    public void forget(FiberImpl<?> dead) {
        all.remove(dead);
    }

    @Nullable FiberTime of(FiberImpl<?> fiber, long nowNs) {
        count(nowNs);
        Sums sums = all.get(fiber);
        return sums == null ? null : time(fiber, sums, nowNs);
    }

    /**
     * The fiber that ran longest first; of the same time, the one switched to most often. A new
     * period begins.
     */
    List<FiberTime> top(int most, long nowNs) {
        count(nowNs);
        Comparator<Map.Entry<FiberImpl<?>, Sums>> byTime =
                Comparator.comparingLong(each -> each.getValue().ranNs);
        Comparator<Map.Entry<FiberImpl<?>, Sums>> bySwitches =
                Comparator.comparingLong(each -> each.getValue().switches);
        List<FiberTime> top =
                all.entrySet().stream()
                        .sorted(byTime.thenComparing(bySwitches).reversed())
                        .limit(most)
                        .map(each -> time(each.getKey(), each.getValue(), nowNs))
                        .toList();
        periodNs = nowNs;
        for (Sums each : all.values()) {
            each.earlierNs = each.ranNs;
        }
        return top;
    }

    private FiberTime time(FiberImpl<?> fiber, Sums sums, long nowNs) {
        long periodOfNs = nowNs - periodNs;
        double share = periodOfNs <= 0 ? 0 : (double) (sums.ranNs - sums.earlierNs) / periodOfNs;
        return new FiberTime(
                fiber.id(), fiber.name(), sums.switches, Duration.ofNanos(sums.ranNs), share);
    }
}
