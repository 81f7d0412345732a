package dev.ropewalk.fibers.metrics;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.BlockingOptions;
import dev.ropewalk.fibers.blocking.BlockingPool;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.sync.ResourcePool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The numbers of cords, schedulers and pools. */
@Timeout(60)
class FiberMetricsTest {
    private static double of(MetricSource source, String metric, String group) {
        return Metrics.of(source).read().stream()
                .filter(each -> each.metric().name().equals(metric))
                .filter(each -> each.tags().getFirst().value().equals(group))
                .mapToDouble(MetricValue::value)
                .sum();
    }

    @Test
    void A6_cordsOfOneGroupAreAdded() {
        List<Cord> cords =
                List.of(Cord.start("mill-1"), Cord.start("mill-2"), Cord.start("mill 3"));
        try {
            for (Cord each : cords) {
                each.spin("sleeps", () -> Fiber.sleep(Duration.ofMinutes(1)));
            }
            MetricSource all = FiberMetrics.cords();
            await().untilAsserted(() -> assertEquals(3, of(all, "ropewalk.cord.timers", "mill")));
            assertEquals(3, of(all, "ropewalk.cords", "mill"));
            assertTrue(of(all, "ropewalk.cord.switches", "mill") >= 3);
            await().until(() -> of(all, "ropewalk.cord.sleep.seconds", "mill") > 0);
        } finally {
            cords.forEach(Cord::close);
        }
    }

    @Test
    void A6_theCountersOfAnEndedCordStay() {
        Metrics metrics = Metrics.of(FiberMetrics.cords());
        Cord cord = Cord.start("burner 7");
        cord.spin("works", () -> {}).await();
        double before = switches(metrics);
        assertTrue(before >= 1, "switches=" + before);
        cord.close();
        await().until(() -> cords(metrics) == 0);
        assertTrue(switches(metrics) >= before);
    }

    private static double cords(Metrics metrics) {
        return sum(metrics, "ropewalk.cords");
    }

    private static double switches(Metrics metrics) {
        return sum(metrics, "ropewalk.cord.switches");
    }

    private static double sum(Metrics metrics, String name) {
        return metrics.read().stream()
                .filter(each -> each.metric().name().equals(name))
                .filter(each -> each.tags().getFirst().value().equals("burner"))
                .mapToDouble(MetricValue::value)
                .sum();
    }

    @Test
    void A6_blockingCallsThatRunAndWait() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch runs = new CountDownLatch(1);
        Cord cord = Cord.start("asker");
        try (BlockingPool pool =
                new BlockingPool(BlockingOptions.named("db").withMaxConcurrency(1))) {
            for (int i = 0; i < 3; i++) {
                cord.spin(
                        "asks",
                        () ->
                                pool.run(
                                        () -> {
                                            runs.countDown();
                                            go.await();
                                        }));
            }
            runs.await();
            MetricSource source = FiberMetrics.blocking("db", pool);
            await().until(() -> of(source, "ropewalk.blocking.pending", "db") == 2);
            assertEquals(1, of(source, "ropewalk.blocking.running", "db"));
            go.countDown();
            await().until(() -> of(source, "ropewalk.blocking.running", "db") == 0);
        } finally {
            go.countDown();
            cord.close();
        }
    }

    @Test
    void A6_theOwnPoolOfTheProcess() {
        assertEquals(0, of(FiberMetrics.blocking(), "ropewalk.blocking.pending", "blocking"));
    }

    @Test
    void A6_loansOfAPool() {
        try (ResourcePool<AutoCloseable> pool = ResourcePool.sharedBounded(2, () -> () -> {})) {
            MetricSource source = FiberMetrics.pool("db", pool);
            try (var _ = pool.borrow()) {
                assertEquals(1, of(source, "ropewalk.pool.lent", "db"));
                assertEquals(0, of(source, "ropewalk.pool.waiting", "db"));
            }
            assertEquals(1, of(source, "ropewalk.pool.idle", "db"));
        }
    }

    @Test
    void A6_tasksOfAScheduler() {
        try (Scheduler scheduler = Scheduler.start("mill")) {
            scheduler.bind(
                    () -> {
                        for (int i = 0; i < 5; i++) {
                            scheduler.spin(() -> 1).await();
                        }
                    });
            MetricSource source = FiberMetrics.scheduler("mill", scheduler);
            assertTrue(of(source, "ropewalk.scheduler.placed", "mill") >= 5);
            await().until(() -> of(source, "ropewalk.scheduler.ended", "mill") >= 5);
        }
    }
}
