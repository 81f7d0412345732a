package dev.ropewalk.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.benchmarks.result.Observations;
import dev.ropewalk.benchmarks.result.Results;
import dev.ropewalk.benchmarks.runner.Jmh;
import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.scenario.SingleOperation;
import dev.ropewalk.benchmarks.system.Contestant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import javax.xml.parsers.DocumentBuilderFactory;

class ReportTest {
    /** Measured where a server of PostgreSQL is named. */
    private static final String WITH_DATABASE = "durable_postgresql";

    private static final List<String> TEXT =
            List.of(
                    "FACT date 2026-01-01",
                    "a line of something else",
                    "FACT collector G1",
                    "BENCH ring ropewalk-handler 20.0 19.0 22.0 1000000",
                    "BENCH ring pekko 80.0 70.0 99.5 1000000",
                    "BENCH ring continuations 5.0 5.0 5.0 1000000",
                    "BENCH skynet ropewalk-handler 300.0 290.0 310.0 1000000",
                    "BENCH skynet pekko 100.0 90.0 110.0 1000000",
                    "BENCH scale_actors_10 pekko 10.0 9.0 11.0 1000000",
                    "BENCH scale_actors_1000 pekko 20.0 9.0 11.0 1000000",
                    "BENCH scale_cords_1 ropewalk-loop 20.0 9.0 11.0 1000000",
                    "BENCH scale_cords_2 ropewalk-loop 11.0 9.0 11.0 1000000",
                    "BENCH chan_buffered_free kotlin-default 60.0 50.0 70.0 1000000",
                    Results.shared("chan_buffered_free", "kotlin-default", 98.9),
                    "BENCH chan_buffered_free vthreads 70.0 60.0 80.0 1000000",
                    "BENCH switch ropewalk 100.0 90.0 110.0 10",
                    "FAILED ring jox status=1",
                    "FACT collector Parallel",
                    "BENCH ring pekko 81.0 70.0 99.5 1000000");

    private static final Map<String, String> SYSTEMS = Map.of("pekko", "actors", "jox", "channels");

    @TempDir private Path directory;

    @Test
    void saysWhereRopewalkIsFirstAndWhereNot() throws IOException {
        String page = page();
        assertTrue(
                page.contains(
                        "| [ring](#ring) | ropewalk-handler | 20 ns | pekko | 80 ns |"
                                + " **first**, 4.0 x better |"),
                page);
        assertTrue(page.contains("| pekko | 100 ns | behind, 3.0 x worse |"), page);
    }

    @Test
    void saysHowOftenBothEndsSharedAThread() throws IOException {
        String page = page();
        assertTrue(page.contains(" least - most | both ends on one thread |"), page);
        assertTrue(page.contains("| kotlin-default | 60 | 50 - 70 | - | | 99 % |"), page);
        assertTrue(page.contains("| vthreads | 70 | 60 - 80 | - | | - |"), page);
    }

    @Test
    void saysWhichTargetsAreMetByWhichCollector() {
        String section =
                new Targets(
                                Results.parse(
                                        List.of(
                                                "FACT collector G1",
                                                "BENCH switch ropewalk 125.0 90.0 180.0 6",
                                                "BENCH switch continuations 100.0 90.0 110.0 6",
                                                "BENCH snooze_10 ropewalk-local 100.0 9.0 110.0 6",
                                                "BENCH snooze_gc ropewalk-local 410.0 9.0 500.0 6",
                                                "BENCH snooze_10 continuations 90.0 9.0 110.0 6",
                                                "BENCH snooze_gc continuations 270.0 9.0 500.0 6",
                                                "BENCH parked ropewalk-local 640.0 6.0 640.0 1",
                                                "FACT collector Parallel",
                                                "BENCH switch ropewalk 126.0 90.0 180.0 6",
                                                "BENCH switch continuations 100.0 90.0 110.0 6")))
                        .section();
        assertTrue(
                section.contains(
                        "| switch ropewalk / switch continuations | 1.25 x | 1.25 x, met |"
                                + " 1.26 x, **not met** |"),
                section);
        assertTrue(
                section.contains(
                        "| snooze_gc ropewalk-local / snooze_10 ropewalk-local | 4.00 x |"
                                + " 4.10 x, **not met** | - |"),
                section);
        assertTrue(section.contains("| parked ropewalk-local | 640 B | 640 B, met | - |"), section);
        assertTrue(
                section.contains("| snooze_gc continuations / snooze_10 continuations | 3.00 x |"),
                section);
        assertFalse(section.contains("mutex"), "what was not measured is left out");
        assertEquals("", new Targets(Results.parse(TEXT)).section(), "no target, no section");
    }

    @Test
    void everyTargetNamesWhatIsMeasured() {
        Map<String, SingleOperation> timed =
                SingleOperation.ALL.stream()
                        .collect(Collectors.toMap(SingleOperation::name, Function.identity()));
        for (Targets.Figure figure : Targets.figures()) {
            SingleOperation single = timed.get(figure.scenario());
            if (single != null) {
                assertTrue(Jmh.systems(single).contains(figure.system()), figure::toString);
            } else {
                Row row =
                        Row.all().stream()
                                .filter(it -> it.name().equals(figure.scenario()))
                                .findFirst()
                                .orElseThrow();
                Contestant system =
                        Contestant.ALL.stream()
                                .filter(it -> it.name().equals(figure.system()))
                                .findFirst()
                                .orElseThrow();
                boolean isThere = system.programs().contains(row.program());
                assertTrue(isThere || figure.scenario().equals(WITH_DATABASE), figure::toString);
                assertTrue(row.isShownFor(system.name()), figure::toString);
            }
        }
    }

    @Test
    void tablesNameBothCollectorsSortedByTheFirst() throws IOException {
        String page = page();
        assertTrue(page.contains("| pekko | 80 | 70 - 99.5 | 81 | 70 - 99.5 |"), page);
        assertTrue(page.contains("| **ropewalk-handler** | 20 | 19 - 22 | - | |"), page);
        String ring = page.substring(page.indexOf("### ring"));
        assertTrue(ring.indexOf("ropewalk-handler") < ring.indexOf("| pekko"), ring);
        assertTrue(page.contains("- `FAILED ring jox status=1`"), page);
        assertTrue(page.contains("- date: 2026-01-01"), page);
        assertTrue(page.contains("- pekko: actors\n"), page);
    }

    @Test
    void fillsInTheTablesOfOtherPages() {
        PageTables tables = new PageTables(Results.parse(TEXT), SYSTEMS.keySet());
        String page =
                """
                before
                <!-- table: ropewalk pekko jox -->
                old
                <!-- end -->
                between
                <!-- table: ropewalk pekko | skynet -->
                <!-- end -->
                after
                """;
        String filled = tables.withTables(page);
        assertEquals(
                """
                before
                <!-- table: ropewalk pekko jox -->

                | | ropewalk | pekko | jox |
                |---|---:|---:|---:|
                | ring, ns | 20, handler | 80 | - |
                | skynet, ns | 300, handler | 100 | - |

                <!-- end -->
                between
                <!-- table: ropewalk pekko | skynet -->

                | | ropewalk | pekko |
                |---|---:|---:|
                | skynet, ns | 300, handler | 100 |

                <!-- end -->
                after
                """,
                filled);
        assertEquals(filled, tables.withTables(filled));
    }

    @Test
    void chartsAreXml() throws Exception {
        page();
        for (String chart : List.of("ring", "skynet", "scale_actors", "scale_cords")) {
            byte[] svg =
                    Files.readAllBytes(
                            directory.resolve("docs").resolve("charts").resolve(chart + ".svg"));
            assertEquals(
                    "svg",
                    DocumentBuilderFactory.newInstance()
                            .newDocumentBuilder()
                            .parse(new ByteArrayInputStream(svg))
                            .getDocumentElement()
                            .getTagName());
            assertFalse(new String(svg, StandardCharsets.UTF_8).contains("NaN"), chart);
        }
    }

    private String page() throws IOException {
        return page(List.of());
    }

    @Test
    void theCostOfAnObserverStandsWithItsRun() throws IOException {
        assertFalse(page().contains("What an observer costs"));
        List<String> output =
                List.of(
                        "FACT date 2026-01-02",
                        "FACT machine a small one",
                        "FACT collector Parallel",
                        "OBSERVED the bank beside viewer: 2.0 ns, alone 1.0, ratio 2.000");
        String page = page(List.of(Observations.of(output).orElseThrow()));
        assertTrue(
                page.contains("\nParallel, 2026-01-02, a small one:\n\n- the bank beside"), page);
        assertTrue(Observations.of(TEXT).isEmpty());
    }

    private String page(List<Observations> observed) throws IOException {
        new Report(Results.parse(TEXT), observed, SYSTEMS).write(directory.resolve("docs"));
        return Files.readString(directory.resolve("docs").resolve("benchmarks.md"));
    }

    @Test
    void comparisonNamesTheRowsWhoseRangesDoNotMeet() {
        List<String> again =
                List.of(
                        "FACT collector G1",
                        "BENCH ring ropewalk-handler 23.0 21.0 25.0 1000000",
                        "BENCH ring pekko 160.0 150.0 170.0 1000000",
                        "BENCH ring jox 1.0 1.0 1.0 1000000");
        List<String> lines = new Comparison(Results.parse(TEXT), Results.parse(again)).lines();
        assertEquals(
                List.of(
                        "ring pekko with G1: 80.0 (70.0 to 99.5), then 160.0 (150.0 to 170.0),"
                                + " 2.00 times",
                        "1 of 2 rows agree: their ranges meet"),
                lines);
    }
}
