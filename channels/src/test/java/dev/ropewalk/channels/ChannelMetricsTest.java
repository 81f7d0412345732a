package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.channels.pipeline.PipelineMetrics;
import dev.ropewalk.channels.pipeline.PipelineRun;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.metrics.MetricSource;
import dev.ropewalk.fibers.metrics.MetricValue;
import dev.ropewalk.fibers.metrics.Metrics;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;

/** The numbers of channels and pipelines. */
@Timeout(60)
class ChannelMetricsTest {
    private static double sum(MetricSource source, String metric) {
        return Metrics.of(source).read().stream()
                .filter(each -> each.metric().name().equals(metric))
                .mapToDouble(MetricValue::value)
                .sum();
    }

    @Test
    void C2_theQueuesOfAChannel() {
        TestCord.run(
                () -> {
                    Channel<Integer> orders = Channel.buffered(2);
                    MetricSource source = ChannelMetrics.of("orders", orders);
                    orders.send(1);
                    orders.send(2);
                    Fiber<?> sender = Fiber.spin("sender", () -> orders.send(3));
                    Fiber.sleep(Duration.ofMillis(1)); // it waits now
                    assertEquals(2, sum(source, "ropewalk.channel.elements"));
                    assertEquals(1, sum(source, "ropewalk.channel.senders"));
                    assertEquals(0, sum(source, "ropewalk.channel.receivers"));
                    sender.terminate();
                    orders.close();
                });
    }

    @Test
    void C2_channelsOfOneGroupAreAdded() {
        Channel<Integer> one = Channel.buffered(2);
        Channel<Integer> two = Channel.buffered(2);
        one.trySend(1);
        two.trySend(1);
        List<MetricValue> now =
                Metrics.of(ChannelMetrics.of("orders", one), ChannelMetrics.of("orders", two))
                        .read();
        assertEquals(2, now.getFirst().value());
    }

    @Test
    void C2_aConfinedChannelIsAFailureElsewhere() {
        Channel<Integer> confined = Cord.run(() -> Channel.<Integer>localBuffered(2));
        MetricSource source = ChannelMetrics.of("orders", confined);
        assertEquals(1, sum(source, "ropewalk.metrics.failures"));
        assertEquals(0, sum(source, "ropewalk.channel.elements"));
    }

    @Test
    void C5_theStagesOfAPipeline() {
        TestCord.run(
                () -> {
                    PipelineRun<List<Integer>> run =
                            Pipeline.of(1, 2, 3).map("next", each -> each + 1).toList();
                    assertEquals(List.of(2, 3, 4), run.run().value());
                    MetricSource source = PipelineMetrics.of("sums", run);
                    assertEquals(
                            run.stats().stages().stream()
                                    .mapToDouble(each -> each.elements())
                                    .sum(),
                            sum(source, "ropewalk.stage.elements"));
                });
    }
}
