package dev.ropewalk.fibers.metrics;

import dev.ropewalk.fibers.metrics.Counters.Part;
import dev.ropewalk.fibers.metrics.Metric.Kind;
import dev.ropewalk.fibers.metrics.MetricValue.Tag;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** One reading, while it is made. Used by one reader. */
final class Reading implements MetricSink {
    private final Counters counters;
    private final Map<Metric, Map<List<Tag>, Double>> values = new LinkedHashMap<>();
    private final Map<Series, Map<Part, Double>> counted = new HashMap<>();
    private final Set<Integer> failed = new HashSet<>();

    /** The place of the source that tells now. */
    private int source;

    Reading(Counters counters) {
        this.counters = counters;
    }

    /** The next source tells. */
    void next(int place) {
        source = place;
    }

    /** The source that tells now has failed: what it does not tell has not ended. */
    void fails() {
        failed.add(source);
    }

    @Override
    public void add(Metric metric, double value, String... tags) {
        if (metric.kind() == Kind.COUNTER) {
            throw new IllegalArgumentException(
                    metric.name() + " is a counter; give it to count(..), with the part it is of");
        }
        Map<List<Tag>, Double> known = of(metric);
        List<Tag> own = tags(metric, tags);
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
        if (!(value >= 0)) {
            throw new IllegalArgumentException(
                    metric.name() + "=" + value + " is no count; a count is 0 or more");
        }
        Map<List<Tag>, Double> places = of(metric);
        Series series = new Series(metric, tags(metric, tags));
        if (!counters.admits(series)) {
            series = new Series(metric, others(series.tags()));
        }
        places.put(series.tags(), 0.0); // the sum follows
        counted.computeIfAbsent(series, _ -> new HashMap<>())
                .merge(new Part(source, part), value, Double::sum);
    }

    private Map<List<Tag>, Double> of(Metric metric) {
        if (!counters.isNameOf(metric)) {
            throw new IllegalArgumentException(
                    metric
                            + " has the name of "
                            + counters.ofName(metric.name())
                            + "; give it another one");
        }
        return values.computeIfAbsent(metric, _ -> new LinkedHashMap<>());
    }

    /** By their names, so that their order makes no other series. */
    private static List<Tag> tags(Metric metric, String... tags) {
        if (tags.length % 2 != 0) {
            throw new IllegalArgumentException(
                    metric.name() + " has tags " + List.of(tags) + ": the last one has no value");
        }
        List<Tag> own = new ArrayList<>(tags.length / 2);
        for (int i = 0; i < tags.length; i += 2) {
            own.add(new Tag(tags[i], tags[i + 1]));
        }
        own.sort(Comparator.comparing(Tag::name));
        for (int i = 1; i < own.size(); i++) {
            if (own.get(i).name().equals(own.get(i - 1).name())) {
                throw new IllegalArgumentException(
                        metric.name() + " has the tag " + own.get(i).name() + " twice");
            }
        }
        return own;
    }

    private static List<Tag> others(List<Tag> tags) {
        return tags.stream().map(each -> new Tag(each.name(), Metrics.OTHER)).toList();
    }

    void put(Series series, double sum) {
        values.computeIfAbsent(series.metric(), _ -> new LinkedHashMap<>()).put(series.tags(), sum);
    }

    /** All were told. */
    List<MetricValue> end() {
        counters.end(counted, failed, this);
        List<MetricValue> all = new ArrayList<>();
        values.forEach(
                (metric, byTags) ->
                        byTags.forEach(
                                (tags, value) -> all.add(new MetricValue(metric, tags, value))));
        return all;
    }
}
