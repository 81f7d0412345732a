package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSource;

import java.time.Duration;
import java.util.Objects;

/** The numbers of pipelines, by group and stage. */
public final class PipelineMetrics {
    private static final Metric ELEMENTS =
            Metric.counter("ropewalk.stage.elements", "Elements that stages have taken.");
    private static final Metric BUSY =
            Metric.counter("ropewalk.stage.busy.seconds", "How long stages worked on elements.");
    private static final Metric INPUT =
            Metric.counter(
                    "ropewalk.stage.input.wait.seconds", "How long stages waited for elements.");
    private static final Metric ROOM =
            Metric.counter(
                    "ropewalk.stage.room.wait.seconds",
                    "How long stages waited for room in what follows.");

    private PipelineMetrics() {}

    /**
     * {@return what the stages of a run have done} The stage with the largest busy share is the
     * bottleneck: those before it wait for room, those behind it for elements.
     *
     * @param group which pipeline it is
     * @param run running or over
     */
    public static MetricSource of(String group, PipelineRun<?> run) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(run, "run");
        return sink -> {
            for (StageStats each : run.stats().stages()) {
                String stage = each.name();
                sink.count(ELEMENTS, run, (double) each.elements(), "group", group, "stage", stage);
                sink.count(BUSY, run, seconds(each.busy()), "group", group, "stage", stage);
                sink.count(
                        INPUT, run, seconds(each.waitedForInput()), "group", group, "stage", stage);
                sink.count(
                        ROOM, run, seconds(each.waitedForRoom()), "group", group, "stage", stage);
            }
        };
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
