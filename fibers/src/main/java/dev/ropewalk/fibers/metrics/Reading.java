package dev.ropewalk.fibers.metrics;

import dev.ropewalk.fibers.metrics.Metric.Kind;
import dev.ropewalk.fibers.metrics.MetricValue.Tag;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** One reading, while it is made. Used by one reader. */
final class Reading implements MetricSink {
    private final Counters counters;
    private final Map<Metric, Map<List<Tag>, Double>> values = new LinkedHashMap<>();
    private final Map<String, Metric> byName = new HashMap<>();

    Reading(Counters counters) {
        this.counters = counters;
    }

    @Override
    public void add(Metric metric, double value, String... tags) {
        if (metric.kind() == Kind.COUNTER) {
            throw new IllegalArgumentException(
                    metric.name() + " is a counter; give it to count(..), with the part it is of");
        }
        List<Tag> own = tags(metric, tags);
        Map<List<Tag>, Double> known = of(metric);
        if (known.size() >= Metrics.MAX_TAG_SETS && !known.containsKey(own)) {
            own = others(own);
        }
        known.merge(
                own, value, metric.kind() == Kind.MAX ? Double::max : (one, other) -> one + other);
    }

    @Override
    public void count(Metric metric, Object part, double value, String... tags) {
        Objects.requireNonNull(part, "part");
        if (metric.kind() != Kind.COUNTER) {
            throw new IllegalArgumentException(
                    metric.name() + " is a " + metric.kind() + "; give it to add(..)");
        }
        Series series = new Series(metric, tags(metric, tags));
        if (!counters.admits(series)) {
            series = new Series(metric, others(series.tags()));
        }
        of(metric).put(series.tags(), 0.0); // its place; the sum follows
        counters.tell(series, part, value);
    }

    private Map<List<Tag>, Double> of(Metric metric) {
        return values.computeIfAbsent(
                metric,
                _ -> {
                    Metric other = byName.putIfAbsent(metric.name(), metric);
                    if (other != null) {
                        throw new IllegalArgumentException(
                                metric + " has the name of " + other + "; give it another one");
                    }
                    return new LinkedHashMap<>();
                });
    }

    private static List<Tag> tags(Metric metric, String... tags) {
        if (tags.length % 2 != 0) {
            throw new IllegalArgumentException(
                    metric.name() + " has tags " + List.of(tags) + ": the last one has no value");
        }
        List<Tag> own = new ArrayList<>(tags.length / 2);
        for (int i = 0; i < tags.length; i += 2) {
            own.add(new Tag(tags[i], tags[i + 1]));
        }
        return own;
    }

    private static List<Tag> others(List<Tag> tags) {
        return tags.stream().map(each -> new Tag(each.name(), Metrics.OTHER)).toList();
    }

    void put(Series series, double sum) {
        of(series.metric()).put(series.tags(), sum);
    }

    /**
     * All were told.
     *
     * @param isWhole whether no source has failed
     */
    List<MetricValue> end(boolean isWhole) {
        counters.end(this, isWhole);
        List<MetricValue> all = new ArrayList<>();
        values.forEach(
                (metric, byTags) ->
                        byTags.forEach(
                                (tags, value) -> all.add(new MetricValue(metric, tags, value))));
        return all;
    }
}
