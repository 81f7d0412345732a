package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Rule A6: the age of the oldest message is its own, or somewhat more, and never less. */
class AgesTest {
    private static final long NOW = 100_000;

    /** Message 0 is there, and came at 0. */
    private final Ages ages = new Ages(0);

    /** Message n comes at 10 n, while message 0 waits. */
    private void come(long from, long until) {
        for (long number = from; number < until; number++) {
            ages.mark(10 * number, number, () -> 0);
        }
    }

    @Test
    void A6_eachMarkTellsItsOwnAge() {
        come(1, 5);
        for (int number = 0; number < 5; number++) {
            assertEquals(10L * number, ages.cameNs(number), "number=" + number);
        }
    }

    @Test
    void A6_aMessageWithoutAMarkIsAsOldAsTheMarkBeforeIt() {
        ages.mark(50, 5, () -> 0);
        assertEquals(0, ages.cameNs(4));
        assertEquals(50, ages.cameNs(5));
        assertEquals(50, ages.cameNs(6));
    }

    /** The oldest that waits keeps its own mark when those before it go. */
    @Test
    void A6_marksOfMessagesThatAreGoneMakeRoom() {
        come(1, 4);
        for (long number = 4; number < 1_000; number++) {
            long oldest = number - 2;
            ages.mark(10 * number, number, () -> oldest);
            assertEquals(10 * oldest, ages.cameNs(oldest), "number=" + number);
        }
    }

    @Test
    void A6_aLongQueueIsToldAsOlderAndNeverAsYounger() {
        come(1, 10_000);
        for (long number = 0; number < 10_000; number++) {
            long own = 10 * number;
            long told = ages.cameNs(number);
            assertTrue(told <= own, "number=" + number + " own=" + own + " told=" + told);
        }
        assertEquals(0, ages.cameNs(0));
        assertTrue(NOW - ages.cameNs(9_999) <= 20_000);
    }
}
