package dev.ropewalk.fibers.metrics;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicInteger;

/** The examples of the documents. */
class MetricsSnippetsTest {
    @Test
    void read() {
        StringBuilder out = new StringBuilder();
        // @start region="read"
        Metrics metrics = Metrics.of(FiberMetrics.cords(), FiberMetrics.blocking());
        for (MetricValue each : metrics.read()) {
            out.append(each.metric().name()).append(each.tags()).append(each.value());
        }
        // @end
        assertTrue(out.toString().contains("ropewalk.metrics.failures[]0.0"), out::toString);
    }

    @Test
    void own() {
        AtomicInteger open = new AtomicInteger(7);
        // @start region="own"
        Metric orders = Metric.gauge("shop.orders", "Orders that are not delivered.");
        Metrics metrics = Metrics.of(MetricSource.of(orders, open::get, "shop", "north"));
        // @end
        assertTrue(metrics.read().toString().contains("value=7.0"));
    }
}
