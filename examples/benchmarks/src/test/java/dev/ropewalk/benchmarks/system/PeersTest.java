package dev.ropewalk.benchmarks.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import static java.util.Map.entry;

import dev.ropewalk.benchmarks.result.Results;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.scenario.Scenario;
import dev.ropewalk.benchmarks.scenario.Sizes;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Every program of every system gives the right answer, also when it is run again. */
class PeersTest {
    /** JUnit's own limit is one of the factory, and none of the tests that it makes. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final int MAX_TRIES = 50;

    /** Small, and a multiple of every step; skynet needs a power of ten. */
    private static final Map<String, Long> FEW =
            Map.ofEntries(
                    entry("skynet", 1_000L),
                    entry("timers", 20L * Sizes.SLEEPS),
                    entry("fanin", 6_400L),
                    entry("big", 1_200L),
                    entry("snooze_10000", 2L * Sizes.MANY),
                    entry("snooze_gc", 2L * Sizes.MANY),
                    entry("wakeup", 20L),
                    entry("echo_64", 20L * Sizes.ECHO),
                    entry("echo_64_cpu", 20L * Sizes.ECHO),
                    entry("echo_1024", 2L * Sizes.ECHO_MANY),
                    entry("echo_1024_cpu", 2L * Sizes.ECHO_MANY));

    private static final long OTHERWISE = 2_000;

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
                                                    LIMIT,
                                                    () -> runTwice(row.scenario(), program))));
                }
            }
        }
        return tests.stream();
    }

    private static void runTwice(Scenario scenario, Program program) throws Exception {
        long few = FEW.getOrDefault(scenario.name(), OTHERWISE);
        boolean sleeps = scenario.unit() == Scenario.Unit.CPU_NANOSECONDS;
        for (int i = 0; i < (sleeps ? 1 : 2); i++) {
            long answer =
                    scenario.name().equals("wakeup") ? runAsleep(program, few) : program.run(few);
            assertEquals(scenario.answer().applyAsLong(few), answer, scenario.name());
        }
    }

    /**
     * Where compilers of the JVM want the CPU, a cord that spins has given it up to them, and has
     * work when it gets it back: then it does not fall asleep, and the program says so.
     */
    private static long runAsleep(Program program, long few) throws Exception {
        for (int i = 1; ; i++) {
            try {
                return program.run(few);
            } catch (IllegalStateException awake) {
                if (i == MAX_TRIES) {
                    throw awake;
                }
            }
        }
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
            List<Contestant> run =
                    Contestant.ALL.stream()
                            .filter(contestant -> contestant.programs().contains(row.program()))
                            .toList();
            assertTrue(run.stream().anyMatch(it -> Results.isOurs(it.name())), row.name());
            assertTrue(
                    row.name().startsWith(Row.SCALE_CORDS)
                            || run.stream().anyMatch(it -> !Results.isOurs(it.name())),
                    row.name());
        }
    }
}
