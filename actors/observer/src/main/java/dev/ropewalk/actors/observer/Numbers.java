package dev.ropewalk.actors.observer;

import dev.ropewalk.fibers.metrics.MetricValue;

import java.util.List;

/**
 * A reading of the metrics.
 *
 * @param atNs when the observer got it, by {@code Waits.nanoTime}
 * @param values all of them
 */
record Numbers(long atNs, List<MetricValue> values) {
    static final Numbers NONE = new Numbers(0, List.of());
}
