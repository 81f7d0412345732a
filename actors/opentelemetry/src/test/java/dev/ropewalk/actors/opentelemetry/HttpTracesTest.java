package dev.ropewalk.actors.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.channels.http.HttpClient;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpHandler;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.channels.http.HttpServer;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.SpanData;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A6: the context of a trace over HTTP. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HttpTracesTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "b7ad6b7169203331";

    private final Recorded recorded = new Recorded();
    private final HttpTraces http = HttpTraces.of(recorded.sdk());

    @FunctionalInterface
    private interface Body {
        void run(HttpClient client) throws Exception;
    }

    private void run(CordOptions cord, HttpHandler handler, Body body) {
        Cord.run(
                cord,
                (Action)
                        () -> {
                            try (HttpServer server =
                                            HttpServer.start(
                                                    "127.0.0.1", 0, http.handler(handler));
                                    HttpClient client =
                                            HttpClient.connect("127.0.0.1", server.port())) {
                                body.run(client);
                            }
                        });
    }

    private void run(HttpHandler handler, Body body) {
        run(Recorded.cord(), handler, body);
    }

    private SpanData kind(SpanKind kind) {
        List<SpanData> found = recorded.all().stream().filter(s -> s.getKind() == kind).toList();
        assertEquals(1, found.size(), recorded.names()::toString);
        return found.getFirst();
    }

    private static long status(SpanData span) {
        Long status = span.getAttributes().get(AttributeKey.longKey("http.response.status_code"));
        return status == null ? 0 : status;
    }

    @Test
    void A6_serverTakesTheContextOfTheHeader() {
        run(
                _ -> {
                    Context own = Context.current();
                    Fiber.sleep(Duration.ofMillis(1));
                    assertSame(own, Context.current());
                    recorded.run("inner", () -> {});
                    return HttpResponse.text("ok");
                },
                client ->
                        client.send(
                                        HttpRequest.get("/a?secret=1")
                                                .withHeader(
                                                        "traceparent",
                                                        "00-" + TRACE + "-" + PARENT + "-01"))
                                .body()
                                .text());
        SpanData server = kind(SpanKind.SERVER);
        assertEquals(TRACE, server.getTraceId());
        assertEquals(PARENT, server.getParentSpanId());
        assertEquals("GET", server.getName());
        assertEquals("GET", Recorded.text(server, "http.request.method"));
        assertEquals("/a", Recorded.text(server, "url.path"));
        assertEquals(200, status(server));
        recorded.assertParent("GET", "inner");
    }

    @Test
    void A6_headerThatIsNoContextBeginsATrace() {
        run(
                _ -> HttpResponse.text("ok"),
                client ->
                        client.send(HttpRequest.get("/").withHeader("traceparent", "00-zz-1"))
                                .body()
                                .text());
        assertFalse(kind(SpanKind.SERVER).getParentSpanContext().isValid());
    }

    @Test
    void A6_clientSendsTheContextOfItsSpan() {
        String[] sent = new String[1];
        run(
                request -> {
                    sent[0] = String.valueOf(request.header("traceparent"));
                    return HttpResponse.text("ok");
                },
                client ->
                        recorded.in(
                                "caller",
                                () -> {
                                    Context own = Context.current();
                                    HttpResponse response =
                                            http.send(client, HttpRequest.of("BREW", "/tea"));
                                    assertSame(own, Context.current());
                                    return response.body().text();
                                }));
        SpanData client = kind(SpanKind.CLIENT);
        assertEquals(recorded.the("caller").getSpanId(), client.getParentSpanId());
        assertEquals(
                "00-" + client.getTraceId() + "-" + client.getSpanId(), sent[0].substring(0, 52));
        assertEquals("HTTP", client.getName()); // names stay few
        assertEquals("_OTHER", Recorded.text(client, "http.request.method"));
        assertEquals(client.getSpanId(), kind(SpanKind.SERVER).getParentSpanId());
    }

    @Test
    void A6_clientWhoseServerIsGoneEndsItsSpanWithTheFailure() {
        Cord.run(
                Recorded.cord(),
                (Action)
                        () -> {
                            HttpServer server =
                                    HttpServer.start("127.0.0.1", 0, _ -> HttpResponse.text("ok"));
                            HttpClient client = HttpClient.connect("127.0.0.1", server.port());
                            client.send(HttpRequest.get("/")).body().text();
                            client.close();
                            assertThrows(
                                    IllegalStateException.class,
                                    () -> http.send(client, HttpRequest.get("/")));
                            server.close();
                        });
        SpanData span = kind(SpanKind.CLIENT);
        assertEquals(StatusCode.ERROR, span.getStatus().getStatusCode());
        assertEquals(IllegalStateException.class.getName(), Recorded.text(span, "error.type"));
    }

    @Test
    void A6_statusSaysWhetherASpanHasFailed() {
        run(
                request ->
                        switch (request.path()) {
                            case "/missing" -> throw new HttpException(404, "not here");
                            case "/full" -> HttpResponse.of(503);
                            default -> HttpResponse.text("ok");
                        },
                client -> {
                    for (String path : List.of("/ok", "/missing", "/full")) {
                        http.send(client, HttpRequest.get(path)).body().text();
                    }
                });
        for (SpanData span : recorded.all()) {
            boolean isError = span.getStatus().getStatusCode() == StatusCode.ERROR;
            boolean isServer = span.getKind() == SpanKind.SERVER;
            assertEquals(status(span) >= (isServer ? 500 : 400), isError, span::toString);
        }
        assertEquals(6, recorded.all().size());
    }

    @Test
    void A6_handlerThatThrowsIsAnErrorWithTheException() {
        run(
                _ -> {
                    throw new IllegalStateException("no");
                },
                client -> assertEquals(500, client.send(HttpRequest.get("/")).status()));
        SpanData span = kind(SpanKind.SERVER);
        assertEquals(StatusCode.ERROR, span.getStatus().getStatusCode());
        assertEquals("exception", span.getEvents().getFirst().getName());
    }

    @Test
    void A6_serverOnACordWithoutTheHookAnswersWith500() {
        boolean[] isCalled = new boolean[1];
        run(
                CordOptions.named("bare"),
                _ -> {
                    isCalled[0] = true;
                    return HttpResponse.text("ok");
                },
                client -> assertEquals(500, client.send(HttpRequest.get("/")).status()));
        assertFalse(isCalled[0]);
        assertEquals(List.of(), recorded.names());
    }
}
