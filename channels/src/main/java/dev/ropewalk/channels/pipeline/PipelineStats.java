package dev.ropewalk.channels.pipeline;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The counters of the stages of a run. Taken while it runs the numbers are hints, because its
 * fibers go on meanwhile; after the run they are exact, but for the times that are estimated.
 *
 * @param stages in their order, the source first
 */
public record PipelineStats(List<StageStats> stages) {
    /** Copies the list. */
    public PipelineStats {
        stages = List.copyOf(stages);
    }

    /**
     * {@return the stage that the others wait for: the one that worked longest, by the time of each
     * of its fibers}
     *
     * @throws IllegalStateException if they were taken before the run, so there is no stage yet
     */
    public StageStats slowest() {
        return stages.stream()
                .max(Comparator.comparing(each -> each.busy().dividedBy(each.fibers())))
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "no stage has run yet, so none is the slowest; take the"
                                            + " statistics during the run, or from its result"));
    }

    /** One line for each stage. */
    @Override
    public String toString() {
        return stages.stream()
                .map(PipelineStats::line)
                .collect(Collectors.joining(System.lineSeparator()));
    }

    private static String line(StageStats stage) {
        return String.format(
                Locale.ROOT,
                "%-20s %,12d elements, busy %,d ms, waited for input %,d ms, for room %,d ms",
                stage.name(),
                stage.elements(),
                stage.busy().toMillis(),
                stage.waitedForInput().toMillis(),
                stage.waitedForRoom().toMillis());
    }
}
