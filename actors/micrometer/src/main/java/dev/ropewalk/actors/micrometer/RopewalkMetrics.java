package dev.ropewalk.actors.micrometer;

import dev.ropewalk.actors.observe.ActorMetrics;
import dev.ropewalk.fibers.metrics.FiberMetrics;
import dev.ropewalk.fibers.metrics.MetricSource;
import dev.ropewalk.fibers.metrics.Metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Meters for the cords and actors of the process, and for what else the program names:
 *
 * {@snippet file="dev/ropewalk/actors/micrometer/MicrometerSnippetsTest.java" region="bind"}
 *
 * <p>Nothing runs between two scrapes: a registry that reads a meter makes all of them be read, at
 * once in half a second at the earliest. A class or group that is new has its meters from the next
 * scrape on. A gauge of which nothing is left is removed; counters stay.
 *
 * <p>From any thread. A scrape may wait for a fraction of a second when a cord does not answer.
 */
public final class RopewalkMetrics implements MeterBinder, AutoCloseable {
    private final List<MetricSource> sources;
    private final List<Tag> tags;
    private final List<Binding> bindings = new CopyOnWriteArrayList<>();

    private RopewalkMetrics(List<MetricSource> sources, List<Tag> tags) {
        this.sources = List.copyOf(sources);
        this.tags = List.copyOf(tags);
    }

    /**
     * {@return meters of all cords, the pool for blocking code and all actor systems of the
     * process, and of more sources}
     *
     * @param more channels, pools, servers, nodes
     */
    public static RopewalkMetrics of(MetricSource... more) {
        List<MetricSource> all = new ArrayList<>();
        all.add(FiberMetrics.cords());
        all.add(FiberMetrics.blocking());
        all.add(ActorMetrics.systems());
        all.addAll(List.of(more));
        return new RopewalkMetrics(all, List.of());
    }

    /**
     * {@return the same meters with more tags, bound to no registry}
     *
     * @param more tags that each meter has
     */
    public RopewalkMetrics withTags(Iterable<Tag> more) {
        List<Tag> all = new ArrayList<>(tags);
        more.forEach(each -> all.add(Objects.requireNonNull(each, "tag")));
        return new RopewalkMetrics(sources, all);
    }

    /**
     * Registers the meters. The registry keeps them until {@link #close}.
     *
     * @param registry gets them; it may have those of others too
     * @throws IllegalStateException if these are bound to it already
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        if (bindings.stream().anyMatch(each -> each.isOf(registry))) {
            throw new IllegalStateException(this + " is bound to " + registry + " already");
        }
        Binding binding = new Binding(registry, Metrics.of(sources), tags);
        bindings.add(binding);
        binding.refresh();
    }

    /** Removes the meters from all registries that they were bound to. Harmless the second time. */
    @Override
    public void close() {
        bindings.forEach(Binding::close);
        bindings.clear();
    }

    /** The sources and tags. */
    @Override
    public String toString() {
        return "RopewalkMetrics" + sources + tags;
    }
}
