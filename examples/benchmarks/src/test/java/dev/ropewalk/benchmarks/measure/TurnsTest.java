package dev.ropewalk.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.atomic.AtomicInteger;

class TurnsTest {
    private static final long LAPS = 3;

    private final AtomicInteger turns = new AtomicInteger();

    @BeforeEach
    void forgetWhatWasMeasured() {
        Timing.takeElapsedNs();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theFirstOneMeasuresItsLapsAndNotTheTurnBefore(boolean collecting) {
        assertEquals(LAPS, Turns.take(0, LAPS, collecting, this::takeTurn));
        assertEquals(LAPS + 1, turns.get());
        assertTrue(Timing.takeElapsedNs() > 0);
    }

    @Test
    void theOthersMeasureNothing() {
        assertEquals(LAPS, Turns.take(1, LAPS, false, turns::incrementAndGet));
        assertEquals(LAPS + 1, turns.get());
        assertEquals(0, Timing.takeElapsedNs());
    }

    private void takeTurn() {
        if (turns.getAndIncrement() == 0) {
            Timing.end(); // it has not begun
            assertEquals(0, Timing.takeElapsedNs());
        }
    }

    @Test
    void partsAddUpAndAreTakenOnce() {
        Timing.begin();
        Timing.end();
        long first = Timing.takeElapsedNs();
        assertTrue(first >= 0, () -> "first=" + first);
        Timing.begin();
        assertEquals(0, Timing.takeElapsedNs(), "a part that has not ended does not count");
        Timing.end();
        Timing.takeElapsedNs();
        assertEquals(0, Timing.takeElapsedNs());
    }
}
