package dev.ropewalk.actors.micrometer;

import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.Metric.Kind;
import dev.ropewalk.fibers.metrics.MetricValue;
import dev.ropewalk.fibers.metrics.Metrics;
import dev.ropewalk.fibers.sync.Mutex;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The meters in one registry. Each reads the last reading, and the first that finds it old makes
 * another one, which registers what is new and removes the gauges of what is gone.
 *
 * <p>The functions of its meters hold it, because counters hold their objects weakly. A meter that
 * the program has removed from the registry does not come back.
 */
final class Binding {
    private static final Log LOG = Logs.logger(Binding.class);

    /** A meter of the registry is one metric with one set of tags. */
    private record Key(Metric metric, List<MetricValue.Tag> tags) {
        Key {
            tags = List.copyOf(tags);
        }
    }

    private final MeterRegistry registry;
    private final Metrics metrics;
    private final List<Tag> tags;

    /** Replaced as a whole. */
    private volatile Map<Key, Double> values = Map.of();

    /** Reentrant, because what a registry does at a registration may read a meter. */
    private final Mutex updating = Mutex.sharedReentrant();

    // guarded by the mutex

    private final Map<Key, Meter> meters = new HashMap<>();
    private final Set<Key> refused = new HashSet<>();
    private List<MetricValue> last = List.of();
    private boolean isClosed;

    Binding(MeterRegistry registry, Metrics metrics, List<Tag> tags) {
        this.registry = registry;
        this.metrics = metrics;
        this.tags = List.copyOf(tags);
    }

    boolean isOf(MeterRegistry other) {
        return registry == other;
    }

    /** Reads the sources, unless that was done just before. A switchpoint on a fiber. */
    void refresh() {
        updating.run(
                () -> {
                    List<MetricValue> now = metrics.read();
                    if (now != last && !isClosed) {
                        last = now;
                        take(now);
                    }
                });
    }

    private void take(List<MetricValue> now) {
        Map<Key, Double> read = new HashMap<>();
        now.forEach(each -> read.put(new Key(each.metric(), each.tags()), each.value()));
        values = Map.copyOf(read);
        meters.forEach(
                (key, meter) -> {
                    if (!read.containsKey(key)) {
                        registry.remove(meter);
                    }
                });
        meters.keySet().retainAll(read.keySet());
        for (Key each : read.keySet()) {
            if (!meters.containsKey(each) && !refused.contains(each)) {
                add(each);
            }
        }
    }

    /** A registry may refuse it, for example because it has another meter of that name. */
    private void add(Key key) {
        try {
            meters.put(key, register(key));
        } catch (RuntimeException refusal) {
            refused.add(key);
            LOG.warn(
                    "the registry refuses the meter {}, which is left out; rename it by a"
                            + " MeterFilter",
                    key,
                    refusal);
        }
    }

    private Meter register(Key key) {
        Metric metric = key.metric;
        List<Tag> all = new ArrayList<>(tags);
        key.tags.forEach(each -> all.add(Tag.of(each.name(), each.value())));
        return metric.kind() == Kind.COUNTER
                ? FunctionCounter.builder(metric.name(), this, _ -> value(key))
                        .description(metric.help())
                        .tags(all)
                        .register(registry)
                : Gauge.builder(metric.name(), () -> value(key))
                        .description(metric.help())
                        .tags(all)
                        .register(registry);
    }

    private double value(Key key) {
        refresh();
        Double value = values.get(key);
        return value == null ? Double.NaN : value;
    }

    void close() {
        List<Meter> all = new ArrayList<>();
        updating.run(
                () -> {
                    isClosed = true;
                    all.addAll(meters.values());
                    meters.clear();
                });
        all.forEach(registry::remove);
    }
}
