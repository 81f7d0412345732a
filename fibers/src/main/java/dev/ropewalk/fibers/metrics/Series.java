package dev.ropewalk.fibers.metrics;

import dev.ropewalk.fibers.metrics.MetricValue.Tag;

import java.util.List;

/** A metric with one set of tags. */
record Series(Metric metric, List<Tag> tags) {
    Series {
        tags = List.copyOf(tags);
    }
}
