package dev.ropewalk.examples.logpipe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** Percentiles and the most frequent keys, beside an exact count of the same. */
@Timeout(60)
class SketchTest {
    @Test
    void percentilesAreAtMostOneIn64TooHighAndNeverTooLow() {
        for (long seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            long[] numbers = new long[1 + random.nextInt(2_000)];
            Histogram histogram = new Histogram();
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = random.nextLong() >>> (1 + random.nextInt(63));
                histogram.add(numbers[i]);
            }
            Arrays.sort(numbers);
            for (double percent : new double[] {0, 1, 50, 90, 99, 99.9, 100}) {
                int rank = Math.max(1, (int) Math.ceil(percent / 100 * numbers.length));
                long exact = numbers[rank - 1];
                long said = histogram.percentile(percent);
                String message = "seed=" + seed + " p" + percent + " " + exact + " " + said;
                assertTrue(said >= exact && said - exact <= exact / 64, message);
            }
            assertEquals(numbers[numbers.length - 1], histogram.max());
        }
    }

    @Test
    void placesOfAHistogramJoinWithoutAGap() {
        for (int i = 0; i < 64 * 58 - 1; i++) {
            long largest = Histogram.largest(i);
            assertEquals(i, Histogram.index(largest), "largest=" + largest);
            assertEquals(i + 1, Histogram.index(largest + 1), "largest=" + largest);
        }
        assertEquals(Long.MAX_VALUE, Histogram.largest(64 * 58 - 1));
    }

    @Test
    void aHistogramOfNothingIsZeroAndNegativeNumbersAreRefused() {
        assertEquals(0, new Histogram().percentile(99));
        assertThrows(IllegalArgumentException.class, () -> new Histogram().add(-1));
    }

    @Test
    void keysAreExactUpToTheCapacity() {
        TopKeys keys = new TopKeys(3);
        for (String key : List.of("b", "a", "c", "c", "a", "a")) {
            keys.add(key);
        }
        assertTrue(keys.isExact());
        assertEquals(
                List.of(
                        new TopKeys.Seen("a", 3, 0),
                        new TopKeys.Seen("c", 2, 0),
                        new TopKeys.Seen("b", 1, 0)),
                keys.top(10));
        assertEquals(1, keys.top(1).size());
        keys.add("d");
        assertFalse(keys.isExact());
        assertEquals(new TopKeys.Seen("d", 2, 1), keys.top(3).getLast());
    }

    /** The bound that the algorithm promises, over streams with few and with many frequent keys. */
    @Test
    void beyondTheCapacityCountsKeepTheirBound() {
        int capacity = 50;
        for (long seed = 1; seed <= 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            double skew = 1 + 4 * random.nextDouble();
            Map<String, Long> exact = new HashMap<>();
            TopKeys keys = new TopKeys(capacity);
            int total = 20_000;
            for (int i = 0; i < total; i++) {
                String key = "k" + (int) (1_000 * Math.pow(random.nextDouble(), skew));
                exact.merge(key, 1L, Long::sum);
                keys.add(key);
            }
            List<TopKeys.Seen> all = keys.top(Integer.MAX_VALUE);
            String message = "seed=" + seed + " skew=" + skew;
            assertEquals(capacity, all.size());
            assertEquals(total, all.stream().mapToLong(TopKeys.Seen::count).sum(), message);
            for (TopKeys.Seen seen : all) {
                long count = exact.getOrDefault(seen.key(), 0L);
                assertTrue(seen.count() >= count, message + " " + seen + " " + count);
                assertTrue(seen.count() - seen.error() <= count, message + " " + seen);
                assertTrue(seen.error() <= total / capacity, message + " " + seen);
            }
            Map<String, TopKeys.Seen> found =
                    all.stream().collect(Collectors.toMap(TopKeys.Seen::key, each -> each));
            exact.forEach(
                    (key, count) ->
                            assertTrue(
                                    count <= total / capacity || found.containsKey(key),
                                    message + " lacks " + key + " with " + count));
        }
    }

    @Test
    void aLongKeyIsCut() {
        TopKeys keys = new TopKeys(1);
        keys.add("x".repeat(1_000_000));
        assertEquals(TopKeys.MAX_LENGTH + 3, keys.top(1).getFirst().key().length());
    }
}
