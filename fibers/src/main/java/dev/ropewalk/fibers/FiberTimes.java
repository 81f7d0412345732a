package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How often and how long each fiber of a cord ran, when that is switched on by {@code
 * -Dropewalk.fiberTimes=true}. A constant, so that it costs nothing when it is off; when it is on,
 * each switch reads the clock twice and looks into a table. Confined to the cord.
 */
final class FiberTimes {
    static final boolean ON = Boolean.getBoolean("ropewalk.fiberTimes");

    private static final class Sums {
        private long switches;
        private long ranNs;
    }

    /** Beside the fibers and not in them, for two fields would cost every fiber. */
    private final Map<Fiber<?>, Sums> all = new HashMap<>();

    private @Nullable Sums running;
    private long sinceNs;

    void switchIn(Fiber<?> fiber, long nowNs) {
        Sums sums = all.computeIfAbsent(fiber, _ -> new Sums());
        sums.switches++;
        running = sums;
        sinceNs = nowNs;
    }

    /** No effect if none was switched in since: the worker's frame has told it already. */
    void switchOut(long nowNs) {
        Sums sums = running;
        if (sums != null) {
            sums.ranNs += nowNs - sinceNs;
            running = null;
        }
    }

    void forget(Fiber<?> dead) {
        all.remove(dead);
    }

    @Nullable FiberTime of(Fiber<?> fiber) {
        Sums sums = all.get(fiber);
        return sums == null
                ? null
                : new FiberTime(
                        fiber.id(), fiber.name(), sums.switches, Duration.ofNanos(sums.ranNs));
    }

    /** Who ran longest first; of the same time, who was switched to most often. */
    List<FiberTime> top(int most) {
        Comparator<Map.Entry<Fiber<?>, Sums>> byTime =
                Comparator.comparingLong(each -> each.getValue().ranNs);
        Comparator<Map.Entry<Fiber<?>, Sums>> bySwitches =
                Comparator.comparingLong(each -> each.getValue().switches);
        return all.entrySet().stream()
                .sorted(byTime.thenComparing(bySwitches).reversed())
                .limit(most)
                .map(
                        each ->
                                new FiberTime(
                                        each.getKey().id(),
                                        each.getKey().name(),
                                        each.getValue().switches,
                                        Duration.ofNanos(each.getValue().ranNs)))
                .toList();
    }
}
