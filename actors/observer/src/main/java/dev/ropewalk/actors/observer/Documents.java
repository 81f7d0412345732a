package dev.ropewalk.actors.observer;

import dev.ropewalk.actors.observe.ActorActivity;
import dev.ropewalk.actors.observe.ActorDetails;
import dev.ropewalk.actors.observe.ActorDetails.RestartLimit;
import dev.ropewalk.actors.observe.ActorGlance;
import dev.ropewalk.actors.observe.ActorTrace;
import dev.ropewalk.actors.observe.TraceEvent;
import dev.ropewalk.actors.observer.Sample.SystemSight;
import dev.ropewalk.actors.observer.Window.Shown;
import dev.ropewalk.actors.observer.Window.View;
import dev.ropewalk.fibers.internal.dump.ClassNames;
import dev.ropewalk.fibers.internal.dump.JsonWriter;
import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricValue;
import dev.ropewalk.fibers.observe.FiberDump;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Writes the JSON of the observer, version 1. A field is never renamed or taken away within a
 * version; others may be added. Numbers that are not known are null; times are in milliseconds.
 */
final class Documents {
    private static final int VERSION = 1;
    private static final int MAX_FRAMES = 40;
    private static final Duration LONGEST_PERIOD = Duration.ofDays(36_525);

    private Documents() {}

    /**
     * All that a viewer sees.
     *
     * @param numbers those of {@code /metrics}
     * @param known the rows that he has, by their ids, which becomes those of now; a row that has
     *     not changed is left out
     */
    static String all(Sample sample, View view, Numbers numbers, Map<String, String> known) {
        JsonWriter json = new JsonWriter();
        json.begin();
        json.field("version", (Number) VERSION);
        process(json);
        json.list("cords", sample.cords(), each -> cord(json, each));
        json.list("schedulers", sample.schedulers(), each -> scheduler(json, each));
        json.list("systems", sample.systems(), each -> system(json, each));
        rows(json, view, known);
        json.list("sources", sample.sources(), each -> source(json, each));
        json.field("numbersAt", (Number) (numbers.atNs() / 1_000_000));
        numbers(json, numbers.values());
        json.end();
        return json.toString();
    }

    /** Those of a metric stand side by side. */
    private static void numbers(JsonWriter json, List<MetricValue> values) {
        Map<Metric, List<MetricValue>> byMetric = new LinkedHashMap<>();
        for (MetricValue each : values) {
            byMetric.computeIfAbsent(each.metric(), _ -> new ArrayList<>()).add(each);
        }
        json.list(
                "numbers",
                List.copyOf(byMetric.entrySet()),
                each -> {
                    json.begin();
                    json.field("name", each.getKey().name());
                    json.field("kind", each.getKey().kind().name());
                    json.field("help", Texts.line(each.getKey().help()));
                    json.list("values", each.getValue(), value -> number(json, value));
                    json.end();
                });
    }

    private static void number(JsonWriter json, MetricValue value) {
        json.begin();
        json.list(
                "tags",
                value.tags(),
                tag -> {
                    json.begin();
                    json.field("name", tag.name());
                    json.field("value", Texts.line(tag.value()));
                    json.end();
                });
        json.field("value", Double.isFinite(value.value()) ? (Number) value.value() : null);
        json.end();
    }

    private static void process(JsonWriter json) {
        Runtime runtime = Runtime.getRuntime();
        json.begin("process");
        json.field("pid", (Number) ProcessHandle.current().pid());
        json.field("java", Runtime.version().toString());
        json.field("processors", (Number) runtime.availableProcessors());
        json.field("heapUsed", (Number) (runtime.totalMemory() - runtime.freeMemory()));
        json.field("heapMax", (Number) runtime.maxMemory());
        json.end();
    }

    private static void cord(JsonWriter json, CordSight cord) {
        json.begin();
        json.field("name", Texts.line(cord.name()));
        json.field("stacks", cord.stats().stacks().name());
        json.field("busy", known(cord.busy(), 1_000));
        json.field("switches", known(cord.switches(), 1));
        json.field("fibers", (Number) cord.stats().alive());
        json.field("runnable", (Number) cord.stats().runnable());
        json.field("inbox", (Number) cord.stats().inbox());
        json.field("timers", (Number) cord.stats().timers());
        json.field("tasks", (Number) cord.stats().tasks());
        json.field("silent", cord.isSilent());
        json.field("running", Texts.line(cord.running()));
        stack(json, "stack", cord.stack());
        json.list("cycles", cord.cycles(), each -> json.string(Texts.told(each)));
        json.field("id", (Number) cord.id());
        json.end();
    }

    private static void scheduler(JsonWriter json, SchedulerSight scheduler) {
        json.begin();
        json.field("id", (Number) scheduler.id());
        json.field("name", Texts.line(scheduler.name()));
        json.field("cords", (Number) scheduler.stats().cords());
        json.field("alive", (Number) scheduler.stats().alive());
        json.field("placed", known(scheduler.placed(), 1));
        json.field("stolen", known(scheduler.stolen(), 1));
        json.end();
    }

    /** Without an answer null; to so many parts of one. */
    private static @Nullable Number known(double value, int parts) {
        return value == Sample.UNKNOWN
                ? null
                : (Number) (Math.round(value * parts) / (double) parts);
    }

    private static String text(String line) {
        return Objects.requireNonNull(Texts.line(line));
    }

    private static void stack(JsonWriter json, String name, List<StackTraceElement> stack) {
        json.list(
                name,
                stack.subList(0, Math.min(stack.size(), MAX_FRAMES)),
                each -> json.string(text(each.toString())));
    }

    private static void system(JsonWriter json, SystemSight system) {
        json.begin();
        json.field("name", Texts.line(system.name()));
        json.field("actors", (Number) system.actors().size());
        json.field("deadLetters", (Number) system.deadLetters());
        json.field("letters", known(system.letters(), 10));
        json.list("silent", system.silent(), each -> json.string(text(each)));
        json.field("failure", system.failure());
        json.field("id", (Number) system.id());
        json.end();
    }

    private static void rows(JsonWriter json, View view, Map<String, String> known) {
        SystemSight of = view.system();
        json.field("system", of == null ? null : Texts.line(of.name()));
        json.field("total", (Number) view.total());
        json.field("from", (Number) view.from());
        List<String> order = new ArrayList<>();
        List<String> changed = new ArrayList<>();
        for (Shown each : view.rows()) {
            String row = row(each);
            String id = each.row().id();
            order.add(id);
            if (!row.equals(known.put(id, row))) {
                changed.add(row);
            }
        }
        known.keySet().retainAll(new HashSet<>(order));
        json.list("order", order, json::string);
        json.list("rows", changed, json::raw);
        json.field("systemId", of == null ? null : (Number) of.id());
    }

    private static String row(Shown shown) {
        JsonWriter json = new JsonWriter();
        json.begin();
        json.field("id", shown.row().id());
        json.field("path", Texts.line(shown.row().path()));
        json.field("depth", (Number) shown.row().depth());
        ActorGlance before = shown.row().actor();
        json.field("kind", before == null ? "supervisor" : "actor");
        if (before != null) {
            ActorActivity activity = shown.activity();
            actor(json, activity == null ? before : activity.glance());
            activity(json, activity);
            json.field("rate", known(shown.rate(), 10));
        }
        json.end();
        return json.toString();
    }

    private static void actor(JsonWriter json, ActorGlance actor) {
        json.field("number", (Number) actor.number());
        json.field("type", Texts.line(actor.type()));
        json.field("cord", Texts.line(actor.cord()));
        json.field("phase", actor.phase().name());
        json.field("queued", (Number) actor.queued());
        json.field("oldest", millis(actor.oldest()));
        json.field("restarts", (Number) actor.restarts());
    }

    private static @Nullable Number millis(@Nullable Duration time) {
        return time == null ? null : (Number) time.toMillis();
    }

    private static void activity(JsonWriter json, @Nullable ActorActivity activity) {
        json.field("asked", activity != null);
        json.field("state", activity == null ? null : Texts.line(activity.state()));
        json.field("handles", activity == null ? null : Texts.line(activity.handles()));
    }

    private static void source(JsonWriter json, SourceSight source) {
        json.begin();
        json.field("name", Texts.line(source.name()));
        json.field("json", source.json());
        json.field("failure", Texts.line(source.failure()));
        json.end();
    }

    // ---------------------------------------------------------------- on request

    /**
     * One actor.
     *
     * @param fiber in which it runs; null if that was not found
     * @param trace null if it is not traced
     */
    static String actor(
            ActorDetails details, @Nullable FiberDump fiber, @Nullable ActorTrace trace) {
        ActorActivity activity = details.activity();
        JsonWriter json = new JsonWriter();
        json.begin();
        json.field("version", (Number) VERSION);
        json.field("path", Texts.line(activity.glance().path()));
        actor(json, activity.glance());
        activity(json, activity);
        json.field("fiberKnown", fiber != null);
        json.field("waitsFor", fiber == null ? null : Texts.line(fiber.reason()));
        json.list(
                "awaits",
                fiber == null ? List.of() : fiber.awaits(),
                each -> json.string(text(each)));
        json.field("pending", fiber == null ? null : Texts.line(fiber.pending()));
        json.field("fibers", (Number) (fiber == null ? 0 : fiber.children()));
        stack(json, "stack", fiber == null ? List.of() : fiber.stack());
        json.list("links", details.links(), each -> json.string(text(each)));
        json.list("monitors", details.monitors(), each -> json.string(text(each)));
        json.field("watchers", (Number) details.watchers());
        json.field("openAsks", (Number) details.openAsks());
        json.list("timerList", details.timers(), each -> timer(json, each));
        json.field("supervisor", Texts.line(details.restartLimit().supervisor()));
        json.field("recentRestarts", recent(details.restartLimit()));
        json.field("maxRestarts", (Number) details.restartLimit().max());
        json.field("restartPeriod", periodMs(details.restartLimit()));
        Throwable failure = details.lastFailure();
        json.field("failure", failure == null ? null : Texts.line(failure.getClass().getName()));
        stack(json, "failedAt", failure == null ? List.of() : Texts.stack(failure));
        json.field("traced", trace != null);
        json.list("trace", trace == null ? List.of() : trace.events(), each -> event(json, each));
        json.end();
        return json.toString();
    }

    private static @Nullable Number recent(RestartLimit limit) {
        return limit.recent() < 0 ? null : (Number) limit.recent();
    }

    /** Null for one that is as good as for ever. */
    private static @Nullable Number periodMs(RestartLimit limit) {
        return limit.period().compareTo(LONGEST_PERIOD) > 0
                ? null
                : (Number) limit.period().toMillis();
    }

    /** The class of the message, because its content is not for viewers. */
    private static void event(JsonWriter json, TraceEvent event) {
        json.begin();
        json.field("at", (Number) event.at().toMillis());
        json.field("kind", event.kind().name());
        json.field("message", Texts.line(ClassNames.of(event.message().getClass())));
        json.field("to", Texts.line(event.to()));
        json.end();
    }

    private static void timer(JsonWriter json, ActorDetails.Timer timer) {
        json.begin();
        json.field("name", Texts.line(timer.name()));
        json.field("kind", timer.kind());
        json.field("message", Texts.line(timer.message()));
        json.field("due", (Number) timer.due().toMillis());
        json.end();
    }
}
