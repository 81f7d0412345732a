package dev.ropewalk.benchmarks.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What stands on one line of the results: a scenario under its own name, or one at another size.
 *
 * @param name on the command line
 * @param scenario what is run
 * @param program the name under which the peers know it
 * @param flags of the JVM that runs it
 */
public record Row(String name, Scenario scenario, String program, List<String> flags) {
    public static final String SCALE_FIBERS = "scale_actors_";
    public static final String SCALE_CORDS = "scale_cords_";

    private static final List<Integer> RINGS = List.of(10, 1_000, 10_000, 100_000, 1_000_000);
    private static final List<String> SCALED =
            List.of(
                    "ropewalk-handler",
                    "ropewalk-loop",
                    "pekko-tuned",
                    "kotlin-loop",
                    "vthreads-1");

    /** Much may be alive at once. */
    private static final List<String> PILING_UP =
            List.of(
                    "children",
                    "counting",
                    "counting_bounded",
                    "fanin",
                    "forkjoin_create",
                    "forkjoin_msg",
                    "skynet",
                    "tasks",
                    "timers");

    private static final String PIPELINE = "pipeline";

    /** Their two ends can be put onto two threads. */
    private static final List<String> WITH_ENDS =
            List.of(
                    "pingpong",
                    "counting",
                    "fanin",
                    "chan_rendezvous",
                    "chan_buffered",
                    "chan_work",
                    PIPELINE);

    /** Where a figure below that of another system is a fault of the harness. */
    private static final Map<String, String> FLOORS =
            Map.of(
                    "cords", "spinning",
                    "chan_buffered", "loop",
                    "chan_rendezvous_apart", "spinning",
                    "chan_buffered_apart", "spinning",
                    "fused", "loop",
                    "remote_tell", "sockets",
                    "processes_tell", "sockets");

    /** They are many, and each system places them by itself. */
    private static final List<String> WITHOUT_ENDS = List.of("tasks", "skynet");

    private static final List<String> ON_ONE_CPU = List.of("chan_rendezvous", "chan_buffered");

    /** They need one thread, so that those who take turns do so. */
    private static final List<String> IN_TURN =
            List.of("snooze_10", "snooze_10000", "snooze_gc", "mutex_busy", "parked");

    private static final List<String> SEVERAL_THREADS = List.of("vthreads", "kotlin-default");

    /** What passes from thread to thread shows nothing where there is one. */
    private static final String BETWEEN_CORDS = "cords";

    /** So that the three frames are three. */
    private static final List<String> REAL_FRAMES =
            List.of(
                    "-XX:CompileCommand=quiet",
                    "-XX:CompileCommand=dontinline," + Frames.class.getName() + "::*");

    private static final List<String> REAL_CALLS =
            List.of(
                    "-XX:CompileCommand=quiet",
                    "-XX:CompileCommand=dontinline," + Stages.class.getName() + "::*");

    /** The two ends are forced onto two threads. */
    private static final String APART = "_apart";

    /** The program says nothing of threads; the system has two, or as many as it takes. */
    private static final String FREE = "_free";

    /** The two ends are forced onto two threads, which share one CPU. */
    private static final String ONE_CPU = "_onecpu";

    /** Those that share a CPU must not know. */
    private static final List<String> TWO_CPUS = List.of("-XX:ActiveProcessorCount=2");

    public static List<Row> all() {
        List<Row> rows = new ArrayList<>();
        for (Scenario scenario : Scenario.ALL) {
            String name = scenario.name();
            rows.add(new Row(name, scenario, name, flagsOf(name)));
        }
        for (String name : WITH_ENDS) {
            rows.add(onTwo(name, APART));
            rows.add(onTwo(name, FREE));
        }
        for (String name : WITHOUT_ENDS) {
            rows.add(onTwo(name, FREE));
        }
        for (String name : ON_ONE_CPU) {
            rows.add(new Row(name + ONE_CPU, Scenario.named(name), name + APART, TWO_CPUS));
        }
        for (int size : RINGS) {
            rows.add(
                    new Row(
                            SCALE_FIBERS + size,
                            Scenario.ringOf(size),
                            "ring",
                            List.of("-D" + Sizes.RING_PROPERTY + "=" + size)));
        }
        for (int cords = 1; cords <= 2; cords++) {
            String name = SCALE_CORDS + cords;
            rows.add(new Row(name, Scenario.RINGS, name, List.of()));
        }
        return rows;
    }

    private static List<String> flagsOf(String name) {
        return switch (name) {
            case "parked" -> REAL_FRAMES;
            case "fused" -> REAL_CALLS;
            default -> List.of();
        };
    }

    private static Row onTwo(String name, String suffix) {
        return new Row(name + suffix, Scenario.named(name), name + suffix, List.of());
    }

    /** {@return the number that the name of a scaling row ends with} */
    public static int size(Row row, String prefix) {
        return Integer.parseInt(row.name().substring(prefix.length()));
    }

    public boolean isOnTwoCores() {
        return (isFree() || name.endsWith(APART) || isOnOneCpu()) && !isScaling();
    }

    /** {@return what every system's form does, and where} */
    public String shape() {
        if (isFree()) {
            return scenario.shape() + "; placed by the system";
        }
        if (isOnOneCpu()) {
            return scenario.shape() + "; the two ends on two threads that share one CPU";
        }
        return isOnTwoCores()
                ? scenario.shape() + "; the two ends on two threads"
                : scenario.shape();
    }

    /** {@return whether the system places the ends, so that they may share a thread} */
    public boolean isFree() {
        return name.endsWith(FREE);
    }

    /** {@return whether the program has two ends, and counts where they are} */
    public boolean hasEnds() {
        return isOnTwoCores() && WITH_ENDS.contains(scenario.name());
    }

    /**
     * {@return how many percent of the elements stay on their thread where the ends are apart} In a
     * pipeline an element passes once from the stages of one thread to those of the other.
     */
    public double percentTogether() {
        return scenario.name().equals(PIPELINE) ? 100.0 * Sizes.STAGES / (Sizes.STAGES + 1) : 0;
    }

    /** {@return the system without a library that no other can be faster than, if there is one} */
    public Optional<String> floor() {
        return Optional.ofNullable(FLOORS.get(name));
    }

    /** {@return whether the process is to have one CPU} */
    public boolean isOnOneCpu() {
        return name.endsWith(ONE_CPU);
    }

    /** {@code scale} names all of one kind, and {@code remote} all of another. */
    public boolean matches(String wanted) {
        return name.equals(wanted)
                || (isScaling() && wanted.equals("scale"))
                || (scenario.isRemote() && wanted.equals("remote"));
    }

    /** {@return the size of the heap, enough for a million of whatever the row makes} */
    public String heap() {
        if (isScaling() || name.equals("mem")) {
            return "4g";
        }
        return PILING_UP.contains(scenario.name()) ? "2g" : "1g";
    }

    /** Scaling shows the forms with one thread: a ring has one message on its way. */
    public boolean isShownFor(String system) {
        if (isScaling()) {
            return SCALED.contains(system);
        }
        if (name.equals(BETWEEN_CORDS)) {
            return !system.equals("vthreads-1");
        }
        if (isOnOneCpu() && system.equals("spinning")) {
            return false; // it never lets the other one run
        }
        return !IN_TURN.contains(name) || !SEVERAL_THREADS.contains(system);
    }

    /**
     * {@return whether what the row shows depends on the collector enough to run it twice} Between
     * threads the spread of one collector is far more than what lies between the two.
     */
    public boolean isForEachCollector() {
        return !isScaling()
                && !isOnTwoCores()
                && !name.equals("wakeup")
                && !scenario.isRemote()
                && scenario.unit() == Scenario.Unit.NANOSECONDS;
    }

    public boolean isScaling() {
        return name.startsWith(SCALE_FIBERS) || name.startsWith(SCALE_CORDS);
    }
}
