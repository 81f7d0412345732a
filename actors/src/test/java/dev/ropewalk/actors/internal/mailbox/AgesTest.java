package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Rule A6: the age of the oldest message is its own, or somewhat more, and never less. */
class AgesTest {
    private final Ages ages = new Ages();

    /** Message n comes at 10 n. */
    private void come(long from, long until, long oldest) {
        for (long number = from; number < until; number++) {
            ages.mark(10 * number, number, number == oldest ? null : () -> oldest);
        }
    }

    @Test
    void A6_eachMarkTellsItsOwnAge() {
        come(0, 5, 0);
        for (int number = 0; number < 5; number++) {
            assertEquals(100 - 10 * number, ages.ageNs(number, 100), "number=" + number);
        }
    }

    @Test
    void A6_aMessageWithoutAMarkIsAsOldAsTheMarkBeforeIt() {
        come(0, 1, 0);
        ages.mark(50, 5, () -> 0);
        assertEquals(100, ages.ageNs(4, 100));
        assertEquals(50, ages.ageNs(5, 100));
        assertEquals(50, ages.ageNs(6, 100));
    }

    /** Whatever waited before is gone. */
    @Test
    void A6_theFirstOfAnEmptyMailboxBeginsAnew() {
        come(0, 5, 0);
        ages.mark(200, 5, null);
        assertEquals(0, ages.ageNs(5, 200));
        assertEquals(50, ages.ageNs(6, 250));
    }

    /** The oldest that waits keeps its own mark when those before it go. */
    @Test
    void A6_marksOfMessagesThatAreGoneMakeRoom() {
        come(0, 4, 0);
        for (long number = 4; number < 1_000; number++) {
            long oldest = number - 2;
            ages.mark(10 * number, number, () -> oldest);
            assertEquals(20, ages.ageNs(oldest, 10 * number), "number=" + number);
        }
    }

    @Test
    void A6_aLongQueueIsToldAsOlderAndNeverAsYounger() {
        come(0, 10_000, 0);
        for (long number = 0; number < 10_000; number++) {
            long own = 100_000 - 10 * number;
            long told = ages.ageNs(number, 100_000);
            assertTrue(told >= own, "number=" + number + " own=" + own + " told=" + told);
        }
        assertEquals(100_000, ages.ageNs(0, 100_000));
        assertTrue(ages.ageNs(9_999, 100_000) <= 20_000);
    }
}
