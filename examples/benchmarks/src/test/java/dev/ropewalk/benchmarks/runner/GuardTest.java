package dev.ropewalk.benchmarks.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

@Timeout(30)
class GuardTest {
    private static final double RATIO = 2;

    /** Each row and floor of the record is one that its system runs. */
    @Test
    void theRecordNamesRowsThatAreThere() throws Exception {
        Set<Guard.Figure> figures = new HashSet<>();
        List<Guard.Kept> record = Guard.record();
        for (Guard.Kept kept : record) {
            for (Guard.Figure figure : List.of(kept.figure(), kept.floor())) {
                assertTrue(
                        figure.contestant().programs().contains(figure.row().program()),
                        figure::toString);
            }
            assertTrue(figures.add(kept.figure()), () -> kept.figure() + " stands there twice");
        }
        assertEquals(8, record.size());
    }

    @Test
    void aBrokenLineIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Guard.kept("pingpong loop 1 2"));
        assertThrows(
                RuntimeException.class,
                () -> Guard.kept("pingpong ropewalk-handler no_such_row loop 1 2"));
    }

    /** One busy moment moves a median, and a lucky one the least. */
    @Test
    void aRowIsSlowerIfBothFiguresSaySo() {
        Guard.Kept kept = Guard.kept("pingpong ropewalk-handler chan_buffered loop 2 2");
        assertTrue(kept.isSlower(RATIO * 1.2, RATIO * 1.2));
        assertFalse(kept.isSlower(RATIO * 1.2, RATIO));
        assertFalse(kept.isSlower(RATIO, RATIO * 1.2));
        assertFalse(kept.isSlower(RATIO * 1.05, RATIO * 1.05));
    }
}
