package dev.ropewalk.actors.observe;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSink;
import dev.ropewalk.fibers.metrics.MetricSource;

import java.time.Duration;
import java.util.Locale;

/**
 * The numbers of actors and their mailboxes, by system and class; {@link ActorGlance#type} tells
 * which class that is.
 */
public final class ActorMetrics {
    /** How long the cords of a system may take to answer. */
    private static final Duration LIMIT = Duration.ofMillis(100);

    private static final Metric ACTORS =
            Metric.gauge("ropewalk.actors", "Actors that have not ended.");
    private static final Metric QUEUED =
            Metric.gauge("ropewalk.mailbox.messages", "Messages that wait in mailboxes.");
    private static final Metric OLDEST =
            Metric.max(
                    "ropewalk.mailbox.oldest.seconds",
                    "For how long the oldest message in a mailbox has waited.");
    private static final Metric RESTARTS =
            Metric.counter("ropewalk.actor.restarts", "How often actors were started again.");
    private static final Metric LETTERS =
            Metric.counter("ropewalk.dead.letters", "Messages that were not processed.");
    private static final Metric SILENT =
            Metric.gauge(
                    "ropewalk.silent.cords",
                    "Cords that did not tell of their actors in time; they may be stuck.");

    private ActorMetrics() {}

    /**
     * {@return the numbers of all systems of the process} Each reading takes a {@link
     * ActorSystem#snapshot snapshot} of each, which asks those actors alone that have changed since
     * the last one; a cord that does not answer delays it by 100 ms.
     */
    public static MetricSource systems() {
        return sink -> {
            for (ActorSystem each : ActorSystem.all()) {
                collect(each, sink);
            }
        };
    }

    private static void collect(ActorSystem system, MetricSink sink) {
        String name = system.name();
        SystemSnapshot snapshot = system.snapshot(LIMIT);
        for (ActorGlance each : snapshot.actors()) {
            Duration oldest = each.oldest();
            double seconds = oldest == null ? 0 : oldest.toNanos() / 1e9;
            sink.add(ACTORS, 1, "system", name, "class", each.type());
            sink.add(QUEUED, each.queued(), "system", name, "class", each.type());
            sink.add(OLDEST, seconds, "system", name, "class", each.type());
        }
        system.restartCounts()
                .forEach(
                        (type, count) ->
                                sink.count(
                                        RESTARTS,
                                        system,
                                        (double) count,
                                        "system",
                                        name,
                                        "class",
                                        type));
        for (DeadLetter.Reason each : DeadLetter.Reason.values()) {
            sink.count(
                    LETTERS,
                    system,
                    (double) system.deadLetterCount(each),
                    "system",
                    name,
                    "reason",
                    each.name().toLowerCase(Locale.ROOT));
        }
        sink.add(SILENT, snapshot.silent().size(), "system", name);
    }
}
