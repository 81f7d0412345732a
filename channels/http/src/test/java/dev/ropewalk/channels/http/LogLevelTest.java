package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What only a client can cause is no ERROR of the server, whatever the handler is doing. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LogLevelTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\n";

    /** What a client does, until the server has nothing more to say. */
    @FunctionalInterface
    private interface Client {
        void run(TcpConnection server);
    }

    private static Client sends(String text) {
        return server -> server.write(text);
    }

    private static Client endsAfter(String text) {
        return server -> server.write(text).shutdownOutput();
    }

    private static Client resetsAfter(String text) {
        return server -> {
            server.write(text).flush();
            Fiber.sleep(Duration.ofMinutes(1));
            server.reset();
        };
    }

    private static Map<String, Client> clients() {
        Map<String, Client> all = new LinkedHashMap<>();
        all.put("silence", _ -> {});
        all.put("half a head", sends("GET / HT"));
        all.put("the end within a head", endsAfter("GET / HT"));
        all.put("a reset within a head", resetsAfter("GET / HT"));
        all.put("no HTTP", sends("\26\3\1\2\0\1\0\1\374\3\3\r\n\r\n"));
        all.put("two hosts", sends("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"));
        all.put("a long line", sends("GET /" + "x".repeat(20_000)));
        all.put("a long head", sends("GET / HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(40_000)));
        for (String length :
                List.of("Content-Length: 9\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n9\r\n")) {
            String part = POST + length + "1234";
            all.put("silence within a body, " + length, sends(part));
            all.put("the end within a body, " + length, endsAfter(part));
            all.put("a reset within a body, " + length, resetsAfter(part));
        }
        all.put("a bad chunk", sends(POST + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"));
        all.put("a body above the limit", sends(POST + "Content-Length: 9000000\r\n\r\n1234"));
        all.put("it reads no answer", resetsAfter(POST + "Content-Length: 4\r\n\r\n1234"));
        return all;
    }

    private static Map<String, HttpHandler> handlers() {
        Map<String, HttpHandler> all = new LinkedHashMap<>();
        all.put("text", request -> HttpResponse.text(request.body().text()));
        all.put("no read", _ -> HttpResponse.text("x"));
        all.put("much", _ -> HttpResponse.text("x".repeat(500_000)));
        all.put(
                "a pipeline",
                request ->
                        HttpResponse.text(
                                Pipeline.from(request.body())
                                        .map("length", chunk -> chunk.length)
                                        .reduce(0, Integer::sum)
                                        .run()
                                        .value()
                                        .toString()));
        all.put(
                "a child",
                request ->
                        HttpResponse.text(
                                Fiber.spin("reads", () -> request.body().text()).await()));
        all.put("echo", request -> HttpResponse.of("x/y", request.body()));
        all.put("a fiber over it", LogLevelTest::copied);
        return all;
    }

    private static HttpResponse copied(HttpRequest request) {
        Channel<byte[]> chunks = Channel.rendezvous();
        Fiber.spin(
                "copies",
                () -> {
                    try {
                        for (byte[] chunk : request.body()) {
                            chunks.send(chunk);
                        }
                        chunks.close();
                    } catch (RuntimeException cutOff) {
                        chunks.close(cutOff);
                    }
                });
        return HttpResponse.of("x/y", HttpBody.of(chunks));
    }

    private static List<Logs.Line> logged(Web web, HttpHandler handler, Client client) {
        List<Logs.Line> lines = new ArrayList<>();
        Logs.during(
                lines::add,
                () -> {
                    HttpServer server = web.serve(handler);
                    try (TcpConnection raw = web.raw(server)) {
                        client.run(raw);
                        Fiber.sleep(LONG); // each limit has passed
                    } catch (ConnectionException refused) {
                        assertNotNull(refused);
                    }
                    server.drain(LONG);
                });
        return lines;
    }

    @Test
    void I2_whatAClientCausesIsNoErrorOfTheServer() {
        handlers()
                .forEach(
                        (name, handler) ->
                                clients()
                                        .forEach(
                                                (what, client) ->
                                                        Web.once(
                                                                web ->
                                                                        assertEquals(
                                                                                List.of(),
                                                                                logged(
                                                                                        web,
                                                                                        handler,
                                                                                        client),
                                                                                name + ", "
                                                                                        + what))));
    }

    private static HttpResponse refusesAll(HttpRequest request) {
        throw new IllegalStateException("a bug, " + request);
    }

    private static HttpResponse failsLater(HttpRequest request) {
        Channel<byte[]> chunks = Channel.buffered(1);
        chunks.close(new IllegalStateException("a bug, " + request));
        return HttpResponse.of("x/y", HttpBody.of(chunks));
    }

    @Test
    void I2_whatTheProgramCausesIsLoggedWithItsStack() {
        Client asks = sends("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        for (HttpHandler each :
                List.<HttpHandler>of(LogLevelTest::refusesAll, LogLevelTest::failsLater)) {
            Web.once(
                    web -> {
                        List<Logs.Line> lines = logged(web, each, asks);
                        assertEquals(1, lines.size(), lines::toString);
                        assertEquals(Level.ERROR, lines.getFirst().level());
                        assertNotNull(lines.getFirst().failure());
                    });
        }
    }

    private static HttpResponse refusesInAChild(HttpRequest request) {
        return Fiber.<HttpResponse>spin(
                        "refuses",
                        () -> {
                            throw new HttpException(404, "not here, " + request);
                        })
                .await();
    }

    @Test
    void I2_aFiberOfAHandlerMayRefuse() {
        Web.inMemory(
                web -> {
                    try (HttpServer server = web.serve(LogLevelTest::refusesInAChild)) {
                        String got =
                                web.answer(
                                        server,
                                        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                        assertTrue(got.startsWith("HTTP/1.1 404 "), got);
                        assertTrue(got.contains("not here"), got);
                    }
                });
    }
}
