package dev.ropewalk.fibers.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.metrics.MetricValue.Tag;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Readings add up what sources tell; rule A6. On virtual time, because a reading is kept a while.
 */
@Timeout(60)
class MetricsTest {
    private static final Metric SOLD = Metric.counter("shop.sold", "Things that were sold.");
    private static final Metric OPEN = Metric.gauge("shop.open", "Tills that are open.");
    private static final Metric QUEUE = Metric.max("shop.queue", "The longest queue.");
    private static final Duration LATER = Duration.ofSeconds(1);

    private final List<MetricSource> told = new ArrayList<>();
    private Metrics metrics = fresh();

    private Metrics fresh() {
        return Metrics.of(
                sink -> {
                    for (MetricSource each : told) {
                        each.collect(sink);
                    }
                });
    }

    /** Twice: in two orders. */
    private void run(Action body) {
        TestCord.run(
                () -> {
                    told.clear();
                    metrics = fresh();
                    body.run();
                });
    }

    private static double value(List<MetricValue> values, Metric metric, String... tags) {
        List<Tag> wanted = new ArrayList<>();
        for (int i = 0; i < tags.length; i += 2) {
            wanted.add(new Tag(tags[i], tags[i + 1]));
        }
        return values.stream()
                .filter(each -> each.metric().equals(metric) && each.tags().equals(wanted))
                .mapToDouble(MetricValue::value)
                .reduce((_, _) -> Double.NaN) // told twice
                .orElse(-1);
    }

    private static double failures(List<MetricValue> values) {
        return values.stream()
                .filter(each -> each.metric().name().equals("ropewalk.metrics.failures"))
                .mapToDouble(MetricValue::value)
                .sum();
    }

    private List<MetricValue> readLater() {
        Fiber.sleep(LATER);
        return metrics.read();
    }

    private void tell(MetricSource source) {
        told.clear();
        told.add(source);
    }

    @Test
    void A6_gaugesAreAddedAndTheLargestOfAMaxIsTold() {
        run(
                () -> {
                    tell(
                            sink -> {
                                sink.add(OPEN, 2, "shop", "north");
                                sink.add(OPEN, 3, "shop", "north");
                                sink.add(OPEN, 5, "shop", "south");
                                sink.add(QUEUE, 4);
                                sink.add(QUEUE, 9);
                                sink.add(QUEUE, 1);
                            });
                    List<MetricValue> now = metrics.read();
                    assertEquals(5, value(now, OPEN, "shop", "north"));
                    assertEquals(5, value(now, OPEN, "shop", "south"));
                    assertEquals(9, value(now, QUEUE));
                });
    }

    @Test
    void A6_aCounterKeepsWhatEndedPartsHaveCounted() {
        run(
                () -> {
                    tell(
                            sink -> {
                                sink.count(SOLD, "one", 10, "shop", "north");
                                sink.count(SOLD, "two", 5, "shop", "north");
                            });
                    assertEquals(15, value(metrics.read(), SOLD, "shop", "north"));
                    tell(sink -> sink.count(SOLD, "two", 6, "shop", "north"));
                    assertEquals(16, value(readLater(), SOLD, "shop", "north"));
                    tell(_ -> {});
                    assertEquals(16, value(readLater(), SOLD, "shop", "north"), "no part is left");
                    tell(sink -> sink.count(SOLD, "three", 1, "shop", "north"));
                    assertEquals(17, value(readLater(), SOLD, "shop", "north"));
                });
    }

    @Test
    void A6_aCounterDoesNotGoBackWhenAPartIsReadOnItsWay() {
        run(
                () -> {
                    tell(sink -> sink.count(SOLD, "one", 10));
                    assertEquals(10, value(metrics.read(), SOLD));
                    tell(sink -> sink.count(SOLD, "one", 9));
                    assertEquals(10, value(readLater(), SOLD));
                    tell(sink -> sink.count(SOLD, "one", 12));
                    assertEquals(12, value(readLater(), SOLD));
                });
    }

    @Test
    void A6_partsOfASourceThatFailsAreNotCountedTwiceWhenTheyComeBack() {
        run(
                () -> {
                    tell(sink -> sink.count(SOLD, "one", 10));
                    assertEquals(10, value(metrics.read(), SOLD));
                    tell(
                            _ -> {
                                throw new IllegalStateException("the shop burns");
                            });
                    List<MetricValue> broken = readLater();
                    assertEquals(10, value(broken, SOLD));
                    assertEquals(1, failures(broken));
                    tell(sink -> sink.count(SOLD, "one", 11));
                    assertEquals(11, value(readLater(), SOLD));
                });
    }

    @Test
    void A6_oneSourceThatFailsLeavesTheOthers() {
        run(
                () -> {
                    Metrics two =
                            Metrics.of(
                                    List.of(
                                            _ -> {
                                                throw new AssertionError("any kind");
                                            },
                                            sink -> sink.add(OPEN, 1)));
                    List<MetricValue> now = two.read();
                    assertEquals(1, value(now, OPEN));
                    assertEquals(1, failures(now));
                });
    }

    @Test
    void A6_aReadingServesThoseThatAskJustAfterIt() {
        run(
                () -> {
                    int[] asked = new int[1];
                    tell(sink -> sink.add(OPEN, ++asked[0]));
                    List<MetricValue> first = metrics.read();
                    assertSame(first, metrics.read());
                    Fiber.sleep(Duration.ofMillis(499));
                    assertSame(first, metrics.read());
                    Fiber.sleep(Duration.ofMillis(1));
                    assertEquals(2, value(metrics.read(), OPEN));
                });
    }

    @Test
    void A6_readersAtOnceAskTheSourcesOnce() {
        run(
                () -> {
                    int[] asked = new int[1];
                    tell(
                            sink -> {
                                Fiber.sleep(Duration.ofMillis(50));
                                sink.add(OPEN, ++asked[0]);
                            });
                    List<Fiber<List<MetricValue>>> readers = new ArrayList<>();
                    for (int i = 0; i < 5; i++) {
                        readers.add(Fiber.spin(metrics::read));
                    }
                    readers.forEach(each -> assertEquals(1, value(each.await(), OPEN)));
                    assertEquals(1, asked[0]);
                });
    }

    @Test
    void A6_aCancelledReaderLeavesTheNextOneItsTurn() {
        run(
                () -> {
                    tell(
                            sink -> {
                                Fiber.sleep(Duration.ofSeconds(5));
                                sink.add(OPEN, 1);
                            });
                    Fiber<?> slow = Fiber.spin(metrics::read);
                    Fiber.snooze();
                    slow.terminate();
                    tell(sink -> sink.add(OPEN, 2));
                    assertEquals(2, value(metrics.read(), OPEN));
                });
    }

    @Test
    void A6_setsOfTagsBeyondTheMaxAreToldAsOne() {
        run(
                () -> {
                    int all = Metrics.MAX_TAG_SETS + 50;
                    tell(
                            sink -> {
                                for (int i = 0; i < all; i++) {
                                    sink.add(OPEN, 1, "shop", "s" + i);
                                    sink.count(SOLD, i, 2, "shop", "s" + i);
                                }
                            });
                    List<MetricValue> now = metrics.read();
                    assertEquals(50, value(now, OPEN, "shop", Metrics.OTHER));
                    assertEquals(100, value(now, SOLD, "shop", Metrics.OTHER));
                    assertEquals(2, value(now, SOLD, "shop", "s0"));
                    tell(
                            sink -> {
                                for (int i = all - 1; i >= 0; i--) { // the first ones come last
                                    sink.count(SOLD, i, 2, "shop", "s" + i);
                                }
                            });
                    List<MetricValue> later = readLater();
                    assertEquals(
                            100,
                            value(later, SOLD, "shop", Metrics.OTHER),
                            "it has its place for ever");
                    assertEquals(2, value(later, SOLD, "shop", "s0"));
                });
    }

    /** Against a model: parts come, count, hide behind failures and end. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void A6_countersNeverGoBackWhateverPartsDo(int seed) {
        run(() -> game(new SplittableRandom(seed)));
    }

    private void game(SplittableRandom random) {
        Map<Integer, Integer> parts = new HashMap<>();
        long[] sum = new long[1];
        int[] next = new int[1];
        for (int step = 0; step < 40; step++) {
            if (random.nextInt(3) == 0) {
                parts.put(next[0]++, 0);
            }
            parts.replaceAll(
                    (_, value) -> {
                        int more = random.nextInt(5);
                        sum[0] += more;
                        return value + more;
                    });
            boolean fails = random.nextInt(4) == 0;
            tell(
                    sink -> {
                        parts.forEach((part, value) -> sink.count(SOLD, part, value));
                        if (fails) {
                            throw new IllegalStateException("step");
                        }
                    });
            double now = value(readLater(), SOLD);
            assertEquals(parts.isEmpty() && sum[0] == 0 ? now : sum[0], now, "step " + step);
            if (random.nextInt(3) == 0) {
                parts.keySet().removeIf(_ -> random.nextBoolean());
            }
        }
    }

    @Test
    void A6_aReadingThatIsBrokenOffChangesNoSum() {
        run(
                () -> {
                    tell(
                            sink -> {
                                sink.count(SOLD, "one", 10);
                                Fiber.sleep(Duration.ofSeconds(5));
                            });
                    Fiber<?> reader = Fiber.spin(metrics::read);
                    Fiber.sleep(Duration.ofSeconds(1));
                    reader.terminate();
                    Fiber.snooze();
                    tell(sink -> sink.count(SOLD, "one", 11));
                    assertEquals(11, value(readLater(), SOLD));
                });
    }

    @Test
    void A6_aSourceThatAlwaysFailsDoesNotKeepThePartsOfOthers() {
        run(
                () -> {
                    List<Integer> parts = new ArrayList<>(List.of(1));
                    Metrics two =
                            Metrics.of(
                                    _ -> {
                                        throw new IllegalStateException("always");
                                    },
                                    sink -> parts.forEach(each -> sink.count(SOLD, each, 10)));
                    assertEquals(10, value(two.read(), SOLD));
                    parts.clear();
                    Fiber.sleep(LATER);
                    assertEquals(10, value(two.read(), SOLD));
                    parts.add(1); // another one of that name
                    Fiber.sleep(LATER);
                    assertEquals(20, value(two.read(), SOLD), "the first one had ended");
                });
    }

    @Test
    void misuse_aNameBelongsToOneMetricInAllReadings() {
        run(
                () -> {
                    boolean[] isFirstBroken = new boolean[1];
                    Metric other = Metric.counter("shop.sold", "Another one.");
                    Metrics two =
                            Metrics.of(
                                    sink -> {
                                        if (isFirstBroken[0]) {
                                            throw new IllegalStateException("for once");
                                        }
                                        sink.count(SOLD, "one", 1);
                                    },
                                    sink -> sink.count(other, "two", 1));
                    assertEquals(1, failures(two.read()));
                    isFirstBroken[0] = true;
                    Fiber.sleep(LATER);
                    assertEquals(3, failures(two.read()), "not admitted in its place");
                    isFirstBroken[0] = false;
                    Fiber.sleep(LATER);
                    assertEquals(1, value(two.read(), SOLD));
                    assertEquals(
                            1,
                            failuresOf(
                                    sink ->
                                            sink.add(
                                                    Metric.gauge("ropewalk.metrics.failures", "x"),
                                                    1)));
                });
    }

    @Test
    void A6_theOrderOfTagsMakesNoOtherSeries() {
        run(
                () -> {
                    tell(
                            sink -> {
                                sink.add(OPEN, 1, "shop", "north", "till", "1");
                                sink.add(OPEN, 2, "till", "1", "shop", "north");
                            });
                    assertEquals(3, value(metrics.read(), OPEN, "shop", "north", "till", "1"));
                });
    }

    @Test
    void misuse_tagsTwiceAndNumbersThatAreNoCounts() {
        run(
                () -> {
                    assertEquals(1, failuresOf(sink -> sink.add(OPEN, 1, "a", "b", "a", "c")));
                    assertEquals(1, failuresOf(sink -> sink.count(SOLD, "one", Double.NaN)));
                    assertEquals(1, failuresOf(sink -> sink.count(SOLD, "one", -1)));
                });
        assertThrows(
                IllegalArgumentException.class, () -> Metric.counter("shop.sold.total", "Sold."));
    }

    // ---------------------------------------------------------------- wrong use

    private double failuresOf(MetricSource source) {
        return failures(Metrics.of(source).read());
    }

    @Test
    void misuse_kindsThatDoNotFitAreFailuresOfTheSource() {
        run(
                () -> {
                    assertEquals(1, failuresOf(sink -> sink.add(SOLD, 1)));
                    assertEquals(1, failuresOf(sink -> sink.count(OPEN, this, 1)));
                    assertEquals(1, failuresOf(sink -> sink.add(OPEN, 1, "shop")));
                    assertEquals(1, failuresOf(sink -> sink.add(OPEN, 1, "Shop-1", "north")));
                    assertEquals(
                            1,
                            failuresOf(
                                    sink -> {
                                        sink.add(OPEN, 1);
                                        sink.add(Metric.max("shop.open", "Another one."), 1);
                                    }));
                    assertEquals(0, failuresOf(sink -> sink.add(OPEN, 1)));
                });
    }

    @Test
    void misuse_namesThatNoSystemTakesAreRefused() {
        for (String each :
                List.of("", "Shop", "shop..open", ".shop", "shop.", "shop-open", "a b")) {
            IllegalArgumentException refused =
                    assertThrows(
                            IllegalArgumentException.class, () -> Metric.gauge(each, "A name."));
            String expected = "name=" + each + " is no metric";
            assertTrue(String.valueOf(refused.getMessage()).startsWith(expected), expected);
        }
    }

    @Test
    void A6_aLongTagIsCutToALine() {
        Tag tag = new Tag("shop", "x\n".repeat(1_000_000));
        assertTrue(tag.value().length() < 400 && !tag.value().contains("\n"), tag.value());
    }

    @Test
    void A6_plainThreadsReadToo() {
        List<MetricValue> now = Metrics.of(FiberMetrics.cords()).read();
        assertEquals(0, failures(now));
        Cord cord = Cord.start("reader 17");
        try {
            List<MetricValue> there = cord.spin("reads", metrics::read).await();
            assertEquals(0, failures(there));
        } finally {
            cord.close();
        }
    }

    @Test
    void A6_aSourceThatDoesNotComeBackKeepsNoOtherReaderForEver() {
        run(
                () -> {
                    boolean[] waits = {false};
                    told.add(
                            sink -> {
                                sink.add(OPEN, 1);
                                if (waits[0]) {
                                    Fiber.sleep(Duration.ofHours(1));
                                }
                            });
                    assertEquals(1, value(readLater(), OPEN));
                    waits[0] = true;
                    Fiber.sleep(LATER);
                    Fiber<?> stuck = Fiber.spin("reads", metrics::read);
                    Fiber.sleep(Duration.ofMillis(1));
                    long beganNs = Cord.current().nanoTime();
                    assertEquals(1, value(metrics.read(), OPEN), "as it was");
                    long tookMs = (Cord.current().nanoTime() - beganNs) / 1_000_000;
                    assertTrue(tookMs >= 5_000 && tookMs < 5_010, () -> "ms: " + tookMs);
                    waits[0] = false;
                    stuck.terminate();
                    stuck.awaitEnd(LATER);
                    assertEquals(1, value(readLater(), OPEN));
                });
    }
}
