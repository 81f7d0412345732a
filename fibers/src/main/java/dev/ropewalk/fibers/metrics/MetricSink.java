package dev.ropewalk.fibers.metrics;

/**
 * Takes the numbers of a {@link MetricSource}, and adds up those that have the same metric and the
 * same tags. Tags name a class or a group, never one instance of many, because a monitoring system
 * keeps each set of tags for ever.
 */
public sealed interface MetricSink permits Reading {
    /**
     * Takes a number of now.
     *
     * @param metric a gauge or a max
     * @param value the number
     * @param tags names and values in turn; the names are small letters
     * @throws IllegalArgumentException if the metric is a counter, another metric has its name, or
     *     a tag has no value or is there twice
     */
    void add(Metric metric, double value, String... tags);

    /**
     * Takes a number that only grows. When the part is told no more, because it has ended, its last
     * number stays in the sum.
     *
     * @param metric a counter
     * @param part counts it; compared by {@code equals}
     * @param value the number so far
     * @param tags names and values in turn; the names are small letters
     * @throws IllegalArgumentException if the metric is no counter, another metric has its name, a
     *     tag has no value or is there twice, or the number is below 0
     */
    void count(Metric metric, Object part, double value, String... tags);
}
