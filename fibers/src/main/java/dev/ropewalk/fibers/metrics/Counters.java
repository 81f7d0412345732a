package dev.ropewalk.fibers.metrics;

import java.util.HashMap;
import java.util.Map;

/**
 * Keeps counters from going back: the last numbers of parts that have ended stay in their sums.
 * Between two readings it holds the parts that it was told of last, and no others. Used by one
 * reader at a time.
 */
final class Counters {
    /** The sum of one series. */
    private static final class Sum {
        /** Of parts that have ended. */
        private double ended;

        private Map<Object, Double> before = new HashMap<>();
        private Map<Object, Double> now = new HashMap<>();

        /** A part may have several numbers in one series. */
        void tell(Object part, double value) {
            now.merge(part, value, Double::sum);
        }

        double end(boolean isWhole) {
            before.forEach((part, value) -> compare(part, value, isWhole));
            before = now;
            now = new HashMap<>();
            return ended + before.values().stream().mapToDouble(Double::doubleValue).sum();
        }

        private void compare(Object part, double value, boolean isWhole) {
            Double told = now.get(part);
            if (told == null && isWhole) {
                ended += value;
            } else if (told == null || told < value) {
                now.put(part, value); // its source failed, or it was read on its way
            }
        }
    }

    private final Map<Series, Sum> sums = new HashMap<>();
    private final Map<Metric, Integer> perMetric = new HashMap<>();

    /** Whether the series is there, or there is room for it. */
    boolean admits(Series series) {
        return sums.containsKey(series)
                || perMetric.getOrDefault(series.metric(), 0) < Metrics.MAX_TAG_SETS;
    }

    void tell(Series series, Object part, double value) {
        sums.computeIfAbsent(series, this::begin).tell(part, value);
    }

    private Sum begin(Series series) {
        perMetric.merge(series.metric(), 1, Integer::sum);
        return new Sum();
    }

    /**
     * All were told: the sums, also of series without a part.
     *
     * @param isWhole whether what was not told has ended
     */
    void end(Reading into, boolean isWhole) {
        sums.forEach((series, sum) -> into.put(series, sum.end(isWhole)));
    }
}
