package dev.ropewalk.actors.observer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.fibers.blocking.BlockingOptions;
import dev.ropewalk.fibers.blocking.BlockingPool;
import dev.ropewalk.fibers.metrics.FiberMetrics;
import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** The examples of the page on the observer. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ObserverSnippetsTest {
    @Test
    void start() {
        // @start region="start"
        try (ActorSystem shop = ActorSystem.start("shop");
                Observer observer = Observer.start(ObserverOptions.loopback())) {
            // the program; the address of the page is on stderr
            // @end
            assertTrue(observer.address().startsWith("http://127.0.0.1:"), shop.name());
        }
    }

    @Test
    void source() {
        // @start region="source"
        ObserverOptions options =
                ObserverOptions.loopback()
                        .withPort(7_090)
                        .withSource("heap", () -> "" + Runtime.getRuntime().totalMemory());
        // @end
        assertTrue(options.toString().contains("[heap]"), options::toString);
    }

    @Test
    void metrics() {
        BlockingPool files = new BlockingPool(BlockingOptions.named("files"));
        // @start region="metrics"
        Metric orders = Metric.gauge("shop.orders", "Orders that are not delivered.");
        ObserverOptions options =
                ObserverOptions.loopback()
                        .withMetrics(MetricSource.of(orders, () -> 7))
                        .withMetrics(FiberMetrics.blocking("files", files));
        // @end
        assertTrue(options.metrics().read().toString().contains("shop.orders"));
        files.close();
    }
}
