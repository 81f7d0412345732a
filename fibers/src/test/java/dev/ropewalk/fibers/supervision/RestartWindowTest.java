package dev.ropewalk.fibers.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Rule A5: OTP's sliding log, against a list of all restarts. */
@Timeout(60)
class RestartWindowTest {
    @Test
    void A5_refusesWhatIsNoWindow() {
        assertEquals(
                "intensity=-1 < 0; 0 lets the first failure end all",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> new RestartWindow(-1, Duration.ofSeconds(1)))
                        .getMessage());
        assertEquals(
                "period=PT0S: no two restarts lie within it; make it longer",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> new RestartWindow(1, Duration.ZERO))
                        .getMessage());
        assertThrows(
                IllegalArgumentException.class, () -> new RestartWindow(1, Duration.ofSeconds(-1)));
    }

    @Test
    void A5_aPeriodOfAThousandYearsIsAPeriod() {
        RestartWindow window = new RestartWindow(1, Duration.ofDays(365_000));
        assertTrue(window.allow(0));
        assertFalse(window.allow(Long.MAX_VALUE / 2));
    }

    @Test
    void A5_noneAllowedMeansNone() {
        assertFalse(new RestartWindow(0, Duration.ofSeconds(1)).allow(0));
    }

    @Test
    void A5_bothEndsOfTheWindowCount() {
        RestartWindow window = new RestartWindow(1, Duration.ofNanos(100));
        assertTrue(window.allow(0));
        assertFalse(window.allow(100));
        RestartWindow other = new RestartWindow(1, Duration.ofNanos(100));
        assertTrue(other.allow(0));
        assertTrue(other.allow(101));
    }

    @Test
    void A5_theWindowSlidesAndDoesNotStartAnew() {
        RestartWindow window = new RestartWindow(2, Duration.ofNanos(100));
        assertTrue(window.allow(0));
        assertTrue(window.allow(90));
        assertEquals("2 restarts within PT0.0000001S <= intensity=2", window.toString());
        assertTrue(window.allow(101));
        assertFalse(window.allow(190), "90, 101 and 190 lie within 100 ns");
        assertEquals("3 restarts within PT0.0000001S > intensity=2", window.toString());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void A5_agreesWithAListOfAllRestarts(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            int intensity = random.nextInt(5);
            long period = 1L + random.nextInt(50);
            RestartWindow window = new RestartWindow(intensity, Duration.ofNanos(period));
            List<Long> all = new ArrayList<>();
            long now = Long.MAX_VALUE - 300 + random.nextInt(600);
            boolean allowed = true;
            while (allowed && all.size() < 100) {
                now += random.nextInt(30);
                all.add(now);
                long instant = now;
                long within = all.stream().filter(at -> instant - at <= period).count();
                allowed = window.allow(now);
                assertEquals(
                        within <= intensity,
                        allowed,
                        "seed=" + seed + " round=" + round + " period=" + period + " all=" + all);
            }
        }
    }
}
