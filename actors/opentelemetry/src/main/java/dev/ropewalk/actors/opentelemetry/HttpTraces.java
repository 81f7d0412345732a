package dev.ropewalk.actors.opentelemetry;

import dev.ropewalk.channels.http.HttpClient;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpHandler;
import dev.ropewalk.channels.http.HttpHeaders;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.fibers.EndHook;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.spi.Waits;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Spans of HTTP, and the headers that carry their context, in the format of the program's
 * OpenTelemetry: {@code traceparent} by default.
 *
 * {@snippet file="dev/ropewalk/actors/opentelemetry/TracesSnippetsTest.java" region="http"}
 */
public final class HttpTraces {
    private static final AttributeKey<String> METHOD =
            AttributeKey.stringKey("http.request.method");

    private static final AttributeKey<Long> STATUS =
            AttributeKey.longKey("http.response.status_code");

    private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");

    /** Others would make the names of spans many. */
    private static final Set<String> METHODS =
            Set.of("CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE");

    private static final TextMapGetter<HttpRequest> HEADERS =
            new TextMapGetter<>() {
                @Override
                public Iterable<String> keys(HttpRequest request) {
                    List<String> names = new ArrayList<>();
                    request.headers().forEach((name, _) -> names.add(name));
                    return names;
                }

                @Override
                public @Nullable String get(@Nullable HttpRequest request, String key) {
                    return request == null ? null : request.header(key);
                }
            };

    private final Tracer tracer;
    private final TextMapPropagator propagator;

    private HttpTraces(OpenTelemetry openTelemetry) {
        this.tracer = Traces.tracer(openTelemetry);
        this.propagator = openTelemetry.getPropagators().getTextMapPropagator();
    }

    /**
     * {@return the traces of HTTP} For any thread. Without a propagator they pass no context on,
     * and the log says so.
     *
     * @param openTelemetry of the program
     */
    public static HttpTraces of(OpenTelemetry openTelemetry) {
        HttpTraces made = new HttpTraces(openTelemetry);
        Traces.checkPropagator(made.propagator, openTelemetry, "HttpTraces");
        return made;
    }

    /**
     * {@return a handler that answers as the given one, in a span whose parent is that of the
     * client} The kind of the span is {@code SERVER}, and its name the method. It ends when the
     * handler has returned: what the source of the body does later is not in it. It has failed if
     * the status is 500 or more, also that of an exception of the handler, and if its fiber is
     * given up. The status is that of the handler: a request whose body does not come whole is
     * answered with 400 by the server, and its span says what the handler made of that. A client
     * may send any context, so a server for strangers has traces that they have begun.
     *
     * <p>A request on a cord without {@link Traces#hook} is answered with 500, and the log says so.
     *
     * @param handler answers
     */
    public HttpHandler handler(HttpHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return request -> {
            Traces.checkHook("a handler of HttpTraces");
            return answer(handler, request);
        };
    }

    private HttpResponse answer(HttpHandler handler, HttpRequest request) throws Exception {
        Context client = propagator.extract(Context.root(), request, HEADERS);
        Span span = span(request, SpanKind.SERVER, client);
        Throwable thrown = null;
        EndHook givenUp = Fiber.current().onEnd(_ -> Failures.abandoned(span));
        try (Scope _ = client.with(span).makeCurrent()) {
            HttpResponse response = handler.handle(request);
            status(span, response.status(), 500);
            return response;
        } catch (Throwable failure) {
            Throwable told = unwrapped(failure);
            if (told instanceof HttpException known && !known.isOfResponse()) {
                status(span, known.status(), 500);
            } else {
                thrown = failure;
                if (!Waits.isSignal(failure)) {
                    status(span, 500, 500); // the server's answer, unless the client is gone
                }
            }
            throw failure;
        } finally {
            givenUp.cancel();
            Failures.end(span, thrown);
        }
    }

    /** Also that of a fiber which the handler awaited. */
    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof FiberFailedException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /**
     * Sends a request by {@link HttpClient#send} in a span of kind {@code CLIENT}, whose context is
     * added as headers. The span ends with the head of the response. It has failed if the status is
     * 400 or more. A switchpoint.
     *
     * @param client sends it
     * @param request what to ask; headers of another context are replaced
     * @return the answer, of any status
     * @throws RuntimeException whatever the client throws
     */
    public HttpResponse send(HttpClient client, HttpRequest request) {
        Objects.requireNonNull(client, "client");
        Context here = Context.current();
        Span span = span(request, SpanKind.CLIENT, here);
        Throwable thrown = null;
        try {
            HttpResponse response = client.send(withHeaders(request, here.with(span)));
            status(span, response.status(), 400);
            return response;
        } catch (Throwable failure) {
            thrown = failure;
            throw failure;
        } finally {
            Failures.end(span, thrown);
        }
    }

    private HttpRequest withHeaders(HttpRequest request, Context context) {
        HttpHeaders[] sent = {request.headers()};
        for (String field : propagator.fields()) { // of another span, if the request is passed on
            sent[0] = sent[0].without(field);
        }
        propagator.inject(
                context,
                sent,
                (carrier, name, value) -> {
                    if (carrier != null) {
                        carrier[0] = carrier[0].with(name, value);
                    }
                });
        return request.withHeaders(sent[0]);
    }

    private Span span(HttpRequest request, SpanKind kind, Context parent) {
        boolean isKnown = METHODS.contains(request.method());
        return tracer.spanBuilder(isKnown ? request.method() : "HTTP")
                .setParent(parent)
                .setSpanKind(kind)
                .setAttribute(METHOD, isKnown ? request.method() : "_OTHER")
                .setAttribute(PATH, request.path())
                .startSpan();
    }

    private static void status(Span span, int status, int firstError) {
        span.setAttribute(STATUS, (long) status);
        if (status >= firstError) {
            Failures.status(span, status);
        }
    }
}
