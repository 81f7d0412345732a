package dev.ropewalk.fibers.metrics;

import java.util.Objects;
import java.util.function.DoubleSupplier;

/**
 * A part of a program that has numbers to tell. It is asked at each reading, on the thread that
 * reads, by one reader at a time; it may wait for a fraction of a second, as a snapshot of actors
 * does.
 */
@FunctionalInterface
public interface MetricSource {
    /**
     * Tells all numbers of the part.
     *
     * @param sink takes them, until this method returns
     * @throws Exception if they cannot be known; what was told before is kept, and {@code
     *     ropewalk.metrics.failures} counts it
     */
    void collect(MetricSink sink) throws Exception;

    /**
     * {@return a source of one number}
     *
     * {@snippet file="dev/ropewalk/fibers/metrics/MetricsSnippetsTest.java" region="own"}
     *
     * @param metric a gauge or a max
     * @param value is asked at each reading, on the thread that reads
     * @param tags names and values in turn; the names are small letters
     */
    static MetricSource of(Metric metric, DoubleSupplier value, String... tags) {
        Objects.requireNonNull(metric, "metric");
        Objects.requireNonNull(value, "value");
        String[] own = tags.clone();
        return sink -> sink.add(metric, value.getAsDouble(), own);
    }
}
