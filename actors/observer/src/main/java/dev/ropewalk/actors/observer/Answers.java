package dev.ropewalk.actors.observer;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.observe.ActorActivity;
import dev.ropewalk.actors.observe.ActorDetails;
import dev.ropewalk.actors.observe.ActorInspector;
import dev.ropewalk.channels.http.HttpBody;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpHandler;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.internal.report.CordDumps;
import dev.ropewalk.fibers.metrics.Metrics;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.FiberDump;

import org.jspecify.annotations.Nullable;

/** Answers the requests that the gate lets through. */
final class Answers implements HttpHandler {
    private final Pages pages = new Pages();
    private final Tracing tracing = new Tracing();
    private final ObjectIds ids;
    private final Viewers viewers;
    private final Metrics metrics;
    private final boolean hasControl;

    Answers(ObjectIds ids, Viewers viewers, Metrics metrics, boolean hasControl) {
        this.ids = ids;
        this.viewers = viewers;
        this.metrics = metrics;
        this.hasControl = hasControl;
    }

    @Override
    public HttpResponse handle(HttpRequest request) {
        return switch (request.path()) {
            case "/api/v1/stream" -> stream(request);
            case "/api/v1/now" -> now(request);
            case "/api/v1/actor" -> actor(request);
            case "/api/v1/cord" -> cord(request);
            case "/api/v1/may" ->
                    HttpResponse.json("{\"version\":1,\"control\":" + hasControl + "}");
            case Gate.METRICS ->
                    HttpResponse.of(
                            Exposition.TYPE,
                            HttpBody.of(
                                    Exposition.of(Blocking.call(metrics::read)).getBytes(UTF_8)));
            case Gate.CONTROL -> control(request);
            default -> pages.answer(request.path());
        };
    }

    private HttpResponse stream(HttpRequest request) {
        if (request.method().equals("HEAD")) {
            return HttpResponse.of("text/event-stream", HttpBody.empty());
        }
        return viewers.open(request.query("viewer"), new Window(request, true));
    }

    private HttpResponse now(HttpRequest request) {
        return HttpResponse.json(viewers.once(new Window(request, false)));
    }

    private HttpResponse actor(HttpRequest request) {
        ActorRef<?> ref = ref(request);
        try {
            ActorDetails details = ActorInspector.of(ref).within(Sampler.LIMIT).details();
            boolean isFiberWanted = !"false".equals(request.query("fiber"));
            FiberDump fiber = isFiberWanted ? fiber(details.activity()) : null;
            return HttpResponse.json(Documents.actor(details, fiber, tracing.of(ref)));
        } catch (FiberTimeoutException silent) {
            throw new HttpException(504, ref + " does not answer: a fiber keeps its cord");
        }
    }

    /**
     * The fiber in which it runs; null if it has none, or its cord does not answer. The cord looks
     * at all its fibers in one step, so this is for a viewer who asks once, and not again and
     * again.
     */
    private static @Nullable FiberDump fiber(ActorActivity activity) {
        if (activity.fiber() == 0) {
            return null;
        }
        for (Cord each : Cord.all()) {
            if (each.name().equals(activity.glance().cord())) {
                FiberDump found = CordDumps.ofOwnTexts(each, activity.fiber(), Sampler.LIMIT);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** By its number, which the page has, or by its name. */
    private HttpResponse cord(HttpRequest request) {
        Long id = Window.id(request, "id");
        String name = request.query("name");
        for (Cord each : Cord.all()) {
            if (id == null ? each.name().equals(name) : id == ids.of(each)) {
                CordDump dump = CordDumps.ofOwnTexts(each, Sampler.LIMIT);
                return HttpResponse.json(Texts.told(dump.toJson()));
            }
        }
        throw new HttpException(404, "the cord has ended, or there was none of that name");
    }

    /** By its number, which the page has, or by its path. */
    private ActorRef<?> ref(HttpRequest request) {
        Long id = Window.id(request, "systemId");
        String system = request.query("system");
        String path = request.query("path");
        Long actor = Window.id(request, "number");
        for (ActorSystem each : ActorSystem.all()) {
            if (id == null ? each.name().equals(system) : id == ids.of(each)) {
                ActorRef<?> ref =
                        actor != null
                                ? each.find(actor)
                                : path == null ? null : Window.find(each, path);
                if (ref == null) {
                    throw new HttpException(404, "the system has no such actor any more");
                }
                return ref;
            }
        }
        throw new HttpException(404, "no system of that name is alive");
    }

    private HttpResponse control(HttpRequest request) {
        if (!request.method().equals("POST")) {
            throw new HttpException(405, "POST it");
        }
        ActorRef<?> ref = ref(request);
        ActorInspector inspector = ActorInspector.of(ref).within(Sampler.LIMIT);
        try {
            switch (request.query("action")) {
                case "suspend" -> inspector.suspend();
                case "resume" -> inspector.resume();
                case "stop" -> ref.stop();
                case "restart" -> ref.kill(); // its supervisor starts it again
                case "trace" -> tracing.begin(ref, inspector);
                case "untrace" -> tracing.end(ref);
                case null, default ->
                        throw new HttpException(
                                400, "action is suspend, resume, stop, restart, trace or untrace");
            }
        } catch (FiberTimeoutException silent) {
            throw new HttpException(504, ref + " does not answer: a fiber keeps its cord");
        } catch (IllegalStateException ended) {
            throw new HttpException(409, ref + " has ended");
        }
        return HttpResponse.of(204);
    }
}
