package dev.ropewalk.benchmarks.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.ropewalk.benchmarks.measure.Child;
import dev.ropewalk.benchmarks.result.Results;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Row;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Every program of every system gives the right answer, also when it is run again. */
class PeersTest {
    /** They compare Ropewalk with itself. */
    private static final Set<String> WITHOUT_PEER =
            Set.of("remote_local", Row.SCALE_CORDS + 1, Row.SCALE_CORDS + 2);

    /** Where none is given, nothing runs it. */
    private static final String NEEDS_A_SERVER = "durable_postgresql";

    /** JUnit's own limit is one of the factory, and none of the tests that it makes. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final List<Peer> OPEN = new ArrayList<>();

    @AfterAll
    static void close() {
        OPEN.forEach(Peer::close);
    }

    @TestFactory
    Stream<DynamicTest> everyProgramGivesTheRightAnswerTwice() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Contestant contestant : Contestant.ALL) {
            Peer peer = contestant.open().get();
            OPEN.add(peer);
            for (Row row : Row.all()) {
                Program program = peer.programs().get(row.program());
                if (program != null && row.name().equals(row.program())) {
                    tests.add(
                            dynamicTest(
                                    contestant.name() + " " + row.name(),
                                    () ->
                                            assertTimeoutPreemptively(
                                                    LIMIT, () -> new Child(row, program).check())));
                }
            }
        }
        return tests.stream();
    }

    @Test
    void aPeerHasNoProgramThatNothingRuns() {
        Set<String> known = new HashSet<>();
        Row.all().forEach(row -> known.add(row.program()));
        for (Contestant contestant : Contestant.ALL) {
            Set<String> unknown = new HashSet<>(contestant.programs());
            unknown.removeAll(known);
            assertEquals(Set.of(), unknown, contestant.name());
        }
    }

    @Test
    void everyScenarioHasRopewalkAndAPeer() {
        for (Row row : Row.all()) {
            if (row.name().equals(NEEDS_A_SERVER)) {
                continue;
            }
            List<Contestant> run =
                    Contestant.ALL.stream()
                            .filter(contestant -> contestant.programs().contains(row.program()))
                            .toList();
            assertTrue(run.stream().anyMatch(it -> Results.isOurs(it.name())), row.name());
            assertTrue(
                    WITHOUT_PEER.contains(row.name())
                            || run.stream().anyMatch(it -> !Results.isOurs(it.name())),
                    row.name());
        }
    }
}
