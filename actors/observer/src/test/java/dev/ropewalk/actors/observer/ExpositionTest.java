package dev.ropewalk.actors.observer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricValue;
import dev.ropewalk.fibers.metrics.MetricValue.Tag;

import org.junit.jupiter.api.Test;

import java.util.List;

/** The text format of Prometheus. */
class ExpositionTest {
    private static final Metric SOLD = Metric.counter("shop.sold", "Sold \\ things\nof \"all\".");
    private static final Metric OPEN = Metric.gauge("shop.open.seconds", "Open.");

    @Test
    void A6_eachMetricHasOneHeadAndALineForEachSetOfTags() {
        String text =
                Exposition.of(
                        List.of(
                                new MetricValue(SOLD, List.of(new Tag("shop", "north")), 12),
                                new MetricValue(
                                        SOLD,
                                        List.of(new Tag("shop", "south"), new Tag("till", "1")),
                                        0.5),
                                new MetricValue(OPEN, List.of(), 3)));
        assertEquals(
                """
                # HELP shop_sold_total Sold \\\\ things\\nof "all".
                # TYPE shop_sold_total counter
                shop_sold_total{shop="north"} 12
                shop_sold_total{shop="south",till="1"} 0.5
                # HELP shop_open_seconds Open.
                # TYPE shop_open_seconds gauge
                shop_open_seconds 3
                """,
                text);
    }

    @Test
    void A6_textOfTheProgramCannotEndItsQuotes() {
        String raw = "a\"} 1\\";
        String text = Exposition.of(List.of(new MetricValue(OPEN, List.of(new Tag("s", raw)), 1)));
        assertEquals("shop_open_seconds{s=\"a\\\"} 1\\\\\"} 1", text.lines().toList().getLast());
    }

    @Test
    void A6_numbersThatAreNone() {
        for (double each : new double[] {Double.NaN, 1 / 0.0, -1 / 0.0}) {
            String line =
                    Exposition.of(List.of(new MetricValue(OPEN, List.of(), each)))
                            .lines()
                            .toList()
                            .getLast();
            String told = Double.isNaN(each) ? "NaN" : each > 0 ? "+Inf" : "-Inf";
            assertEquals("shop_open_seconds " + told, line);
        }
        String big = Exposition.of(List.of(new MetricValue(OPEN, List.of(), 1e18)));
        assertEquals("shop_open_seconds 1.0E18", big.lines().toList().getLast());
    }
}
