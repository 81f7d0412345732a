package dev.ropewalk.actors.micrometer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.metrics.FiberMetrics;
import dev.ropewalk.fibers.sync.ResourcePool;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples of the page on metrics. */
@Timeout(60)
class MicrometerSnippetsTest {
    @Test
    void bind() {
        MeterRegistry registry = new SimpleMeterRegistry();
        try (ResourcePool<AutoCloseable> database = ResourcePool.sharedBounded(2, () -> () -> {})) {
            // @start region="bind"
            RopewalkMetrics.of(FiberMetrics.pool("database", database)).bindTo(registry);
            // @end
            assertTrue(registry.get("ropewalk.pool.idle").tag("group", "database").gauge() != null);
        }
    }
}
