package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** The judge of client histories finds what one list cannot have done. */
@Timeout(60)
class HistoriesTest {
    private final Histories histories = new Histories();

    HistoriesTest() {
        for (long number = 1; number <= 3; number++) {
            histories.writes("a", number);
        }
        histories.writes("b", 7);
    }

    private String read(Long... list) {
        return histories.returned(histories.begins("a"), List.of(list));
    }

    private static void assertFound(String sign, String found) {
        assertTrue(found.contains(sign), found);
    }

    @Test
    void whatOneListDoesIsRight() {
        assertEquals("", read());
        histories.acknowledged("a", 1);
        assertEquals("", read(1L));
        assertEquals("", read(1L, 2L)); // 2 has no outcome yet
        Histories.Before slow = histories.begins("a");
        assertEquals("", read(1L, 2L, 3L));
        assertEquals("", histories.returned(slow, List.of(1L, 2L)));
        assertEquals("", histories.returned(histories.begins("b"), List.of(7L)));
    }

    @Test
    void anAcknowledgedWriteThatIsGoneIsFound() {
        histories.acknowledged("a", 1);
        assertFound("has lost [1]", read(2L));
    }

    @Test
    void aReadOfThePastIsFound() {
        assertEquals("", read(1L, 2L));
        assertFound("before it was [1]", read(1L));
    }

    @Test
    void twoOrdersAreFound() {
        Histories.Before slow = histories.begins("a");
        assertEquals("", read(1L, 2L));
        assertFound("was [1, 2] and [2]", histories.returned(slow, List.of(2L)));
    }

    @Test
    void aNumberThatNobodyWroteIsFound() {
        assertFound("nobody wrote", read(1L, 4L));
    }

    @Test
    void aWriteAheadOfOneThatWasAcknowledgedBeforeItIsFound() {
        histories.acknowledged("a", 1);
        histories.writes("a", 4);
        assertFound("ahead of", read(4L, 1L));
    }

    @Test
    void aWriteThatCountsTwiceIsFound() {
        assertFound("twice", read(1L, 2L, 1L));
    }
}
