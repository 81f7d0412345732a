package dev.ropewalk.benchmarks.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;

class ResultsTest {
    private static final List<String> FIRST =
            List.of(
                    "FACT date 2026-01-01",
                    "a line of something else",
                    "FACT collector G1",
                    "BENCH ring ropewalk-handler 20.0 19.0 22.0 1000000",
                    "BENCH ring pekko 80.0 70.0 99.5 1000000",
                    "BENCH skynet ropewalk-handler 300.0 290.0 310.0 1000000",
                    "BENCH skynet pekko 100.0 90.0 110.0 1000000",
                    "FAILED ring jox status=1",
                    "FACT collector Parallel",
                    "BENCH ring pekko 81.0 70.0 99.5 1000000");

    @Test
    void aLaterFigureReplacesTheEarlierOne() {
        Results results =
                Results.parse(
                        List.of(
                                "FACT collector G1",
                                "BENCH ring pekko 80.0 70.0 99.5 10",
                                "BENCH ring pekko 60.0 50.0 70.0 10"));
        assertEquals(
                new Measured(60, 50, 70, 10), results.find("G1", "ring", "pekko").orElseThrow());
    }

    @Test
    void whatIsNoResultIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Results.parse(List.of("nothing")));
        assertThrows(
                IllegalArgumentException.class,
                () -> Results.parse(List.of("FACT collector G1", "BENCH ring pekko 80.0")));
        assertThrows(
                IllegalArgumentException.class,
                () -> Results.parse(List.of("BENCH ring pekko 80.0 70.0 99.5 10")));
    }

    @Test
    void severalRunsAreOneWhoseRangesSpanAll() {
        Results first = Results.parse(FIRST);
        Results second =
                Results.parse(
                        List.of(
                                "FACT date 2026-01-02",
                                "FACT collector G1",
                                "BENCH ring pekko 160.0 150.0 170.0 1000000",
                                "BENCH ring jox 1.0 1.0 1.0 7"));
        Results both = Results.together(List.of(first, second));
        assertEquals(
                new Measured(120, 70, 170, 2_000_000),
                both.find("G1", "ring", "pekko").orElseThrow());
        assertEquals(new Measured(1, 1, 1, 7), both.find("G1", "ring", "jox").orElseThrow());
        assertEquals("2026-01-01 and 2026-01-02", both.facts().get("date"));
        assertEquals("2", both.facts().get("runs"));
        String reproduced = String.valueOf(both.facts().get("reproduced"));
        assertTrue(reproduced.startsWith("in 0 to 0 of 1 rows the range of a run"), reproduced);
        assertEquals(
                first.lines().size() + 1, both.lines().size(), "no row twice, and none is lost");
    }

    @Test
    void runsOfDifferentMachinesMakeNoRow() {
        Results one = of("2 processors (A), Linux 1");
        Results other = of("2 processors (B), Linux 1");
        IllegalArgumentException refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () ->
                                Results.together(
                                        List.of(one, of("2 processors (A), Linux 1"), other)));
        String why = String.valueOf(refused.getMessage());
        assertTrue(why.contains("processors (A), Linux 1 and 2 processors (B)"), why);
        assertEquals(1, Results.together(List.of(one, one)).lines().size());
    }

    private static Results of(String machine) {
        return Results.parse(
                List.of(
                        "FACT machine " + machine,
                        "FACT collector G1",
                        "BENCH ring pekko 160.0 150.0 170.0 1000000"));
    }
}
