package dev.ropewalk.channels.races;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs the races in JVMs that jcstress starts, one for each, and then judges each of them: jcstress
 * itself lets a run without any race pass, and a race that it could not load.
 */
@Tag("stress")
class RacesTest {
    /** {@code -Draces=SendRaces} runs those alone whose name has that in it. */
    private static final String FILTER = System.getProperty("races", "");

    /** Milliseconds for each of {@link #ROUNDS}. */
    private static final String ROUND_MS = System.getProperty("races.ms", "500");

    private static final String ROUNDS = "3";

    /** What a JVM makes before it is asked for more is fewer. */
    private static final long MIN_SAMPLES = 100;

    @TestFactory
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    Stream<DynamicTest> C1_to_C5_allOutcomesOfRacesAreAllowed() throws Exception {
        Options options = new Options(arguments());
        assertTrue(options.parse(), "jcstress refused its arguments, see above");
        JCStress stress = new JCStress(options);
        SortedSet<String> races = stress.getTests();
        assertFalse(races.isEmpty(), () -> "no race has \"" + FILTER + "\" in its name");

        Collection<TestResult> results = run(stress, options);

        Set<String> ran = results.stream().map(TestResult::getName).collect(Collectors.toSet());
        assertEquals(races, ran, "the races that were to run, and those that did");
        System.out.println(races.size() + " races ran, each in a JVM of its own");
        return results.stream()
                .map(each -> DynamicTest.dynamicTest(nameOf(each), () -> judge(each)));
    }

    /**
     * The JVMs of the races get the flags of this one too. Nothing is bound to a CPU, because cords
     * are threads as well; strides are short, because the parties meet in each sample.
     */
    private static String[] arguments() {
        return new String[] {
            "-t", FILTER,
            "-r", "jcstress",
            "-jvmArgs", "-Dropewalk.checks=true",
            "-sc", "false",
            "-pth", "false",
            "-af", "NONE",
            "-spinStyle", "THREAD_YIELD",
            "-strideSize", "5",
            "-strideCount", "20",
            "-iters", ROUNDS,
            "-time", ROUND_MS,
        };
    }

    private static Collection<TestResult> run(JCStress stress, Options options) throws Exception {
        try {
            stress.run();
        } catch (AssertionError failures) {
            System.out.println(failures.getMessage()); // each is a failure of its own below
        }
        InProcessCollector results = new InProcessCollector();
        DiskReadCollector file = new DiskReadCollector(options.getResultFile(), results);
        try {
            file.dump();
        } finally {
            file.close();
        }
        return results.getTestResults();
    }

    private static String nameOf(TestResult result) {
        return result.getName().replaceFirst("^dev\\.ropewalk\\.channels\\.(\\w+\\.)", "");
    }

    private static void judge(TestResult result) {
        StringBuilder outcomes = new StringBuilder();
        for (String outcome : result.getStateKeys()) {
            outcomes.append("; ").append(outcome).append(": ").append(result.getCount(outcome));
        }
        String seen = nameOf(result) + ": " + result.getTotalCount() + " samples" + outcomes;
        System.out.println(seen);
        assertEquals(Status.NORMAL, result.status(), () -> seen + result.getMessages());
        assertEquals(List.of(), result.grading().failureMessages, seen);
        assertTrue(result.getTotalCount() >= MIN_SAMPLES, seen);
    }
}
