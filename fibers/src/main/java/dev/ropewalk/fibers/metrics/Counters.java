package dev.ropewalk.fibers.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Keeps counters from going back: the last numbers of parts that have ended stay in their sums.
 * Between two readings it holds the parts that it was told of last, and no others. A reading that
 * is broken off changes no sum. Used by one reader at a time.
 */
final class Counters {
    /**
     * A part of a source.
     *
     * @param source the place of the source
     * @param part as the source names it
     */
    record Part(int source, Object part) {}

    /** The sum of one series. */
    private static final class Sum {
        /** Of parts that have ended. */
        private double ended;

        private Map<Part, Double> before = Map.of();

        double end(Map<Part, Double> now, Set<Integer> failed) {
            before.forEach(
                    (part, value) -> {
                        Double told = now.get(part);
                        if (told == null && !failed.contains(part.source)) {
                            ended += value;
                        } else if (told == null || told < value) {
                            now.put(part, value); // its source failed, or it was read on its way
                        }
                    });
            before = now;
            return ended + now.values().stream().mapToDouble(Double::doubleValue).sum();
        }
    }

    private final Map<Series, Sum> sums = new HashMap<>();
    private final Map<Metric, Integer> perMetric = new HashMap<>();
    private final Map<String, Metric> names = new HashMap<>();

    /** False if another metric has the name, in this reading or before. */
    boolean isNameOf(Metric metric) {
        Metric known = names.putIfAbsent(metric.name(), metric);
        return known == null || known.equals(metric);
    }

    Metric ofName(String name) {
        return names.getOrDefault(name, Metric.gauge(name, ""));
    }

    /** Whether the series is there, or there is room for it, which it has from now on. */
    boolean admits(Series series) {
        if (sums.containsKey(series)) {
            return true;
        }
        if (perMetric.getOrDefault(series.metric(), 0) >= Metrics.MAX_TAG_SETS) {
            return false;
        }
        add(series);
        return true;
    }

    private void add(Series series) {
        perMetric.merge(series.metric(), 1, Integer::sum);
        sums.put(series, new Sum());
    }

    /**
     * All were told: the sums, also of series without a part.
     *
     * @param told by series; the maps are kept
     * @param failed the sources of which nothing has ended
     */
    void end(Map<Series, Map<Part, Double>> told, Set<Integer> failed, Reading into) {
        for (Series each : told.keySet()) {
            if (!sums.containsKey(each)) {
                add(each); // the one of all others
            }
        }
        sums.forEach(
                (series, sum) -> {
                    Map<Part, Double> now = told.get(series);
                    into.put(series, sum.end(now == null ? new HashMap<>() : now, failed));
                });
    }
}
