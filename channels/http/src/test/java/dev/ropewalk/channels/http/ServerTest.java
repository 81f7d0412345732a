package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.metrics.Metrics;
import dev.ropewalk.fibers.spi.ClosedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a server does with requests that are in order, and at its end. */
@SuppressWarnings("StringConcatToTextBlock") // each byte of a line end matters
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ServerTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String LAST = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

    // ---------------------------------------------------------------- connections

    @Test
    void I2_connectionsAreCounted() {
        Web.anywhere(
                web -> {
                    try (HttpServer server = web.serve(_ -> HttpResponse.text("here"))) {
                        Metrics metrics = Metrics.of(HttpMetrics.server("shop", server));
                        try (HttpClient client = web.client(server)) {
                            assertEquals("here", client.send(HttpRequest.get("/")).body().text());
                            assertEquals(1, server.connections());
                            assertEquals(1, metrics.read().getFirst().value());
                        }
                        web.until(() -> server.connections() == 0);
                    }
                });
    }

    // ---------------------------------------------------------------- requests and answers

    @Test
    void I2_aRequestIsAnswered() {
        Web.anywhere(
                web -> {
                    try (HttpServer server =
                                    web.serve(
                                            request ->
                                                    HttpResponse.text(
                                                                    request.method()
                                                                            + " "
                                                                            + request.path()
                                                                            + " "
                                                                            + request.query("b")
                                                                            + " "
                                                                            + request.queryAll("c")
                                                                            + " "
                                                                            + request.header("x-y"))
                                                            .withStatus(201)
                                                            .withHeader("X-Z", "z"));
                            HttpClient client = web.client(server)) {
                        HttpResponse response =
                                client.send(
                                        HttpRequest.get("/a%20%C3%BC?b=%2B&c=1&c=2&d")
                                                .withHeader("X-Y", "y"));
                        assertEquals(201, response.status());
                        assertEquals("z", response.header("x-z"));
                        assertEquals("text/plain; charset=utf-8", response.header("content-type"));
                        assertTrue(response.headers().has("Date"));
                        assertEquals("GET /a \u00fc + [1, 2] y", response.body().text());
                    }
                });
    }

    @Test
    void I2_theBytesOnTheWire() {
        Web.anywhere(
                web -> {
                    try (HttpServer server =
                            web.serve(
                                    _ ->
                                            HttpResponse.text("hello")
                                                    .withHeader("Date", "now")
                                                    .withHeader("Content-Length", "3")
                                                    .withHeader("Transfer-Encoding", "gzip"))) {
                        assertEquals(
                                """
                                HTTP/1.1 200 OK\r
                                content-type: text/plain; charset=utf-8\r
                                date: now\r
                                connection: close\r
                                content-length: 5\r
                                \r
                                hello\
                                """,
                                lowerNames(web.answer(server, LAST)));
                    }
                });
    }

    private static String lowerNames(String response) {
        StringBuilder lower = new StringBuilder();
        for (String line : response.split("(?<=\n)", -1)) {
            int colon = line.startsWith("HTTP") ? -1 : line.indexOf(": ");
            lower.append(
                    colon < 0
                            ? line
                            : line.substring(0, colon).toLowerCase(java.util.Locale.ROOT)
                                    + line.substring(colon));
        }
        return lower.toString();
    }

    @Test
    void I2_headAnd204HaveNoBody() {
        Web.anywhere(
                web -> {
                    try (HttpServer server =
                            web.serve(
                                    request ->
                                            request.path().equals("/none")
                                                    ? HttpResponse.of(204)
                                                    : HttpResponse.text("hello"))) {
                        String both =
                                web.answer(
                                        server,
                                        "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
                                                + "GET /none HTTP/1.1\r\nHost: a\r\n\r\n"
                                                + LAST);
                        String[] parts = both.split("\r\n\r\n", -1);
                        assertEquals(4, parts.length, both);
                        assertTrue(parts[0].contains("content-length: 5"), both);
                        assertTrue(parts[1].startsWith("HTTP/1.1 204 No Content"), both);
                        assertFalse(parts[1].contains("length"), both);
                        assertEquals("hello", parts[3]);
                        try (HttpClient client = web.client(server)) {
                            HttpResponse head = client.send(HttpRequest.of("HEAD", "/"));
                            assertEquals("5", head.header("Content-Length"));
                            assertEquals("", head.body().text());
                            assertEquals(204, client.send(HttpRequest.get("/none")).status());
                            assertEquals("hello", client.send(HttpRequest.get("/")).body().text());
                        }
                    }
                });
    }

    @Test
    void I2_pipelinedRequestsAreAnsweredInOrder() {
        Web.anywhere(
                web -> {
                    int[] running = {0};
                    try (HttpServer server =
                            web.serve(
                                    request -> {
                                        assertEquals(1, ++running[0]);
                                        Fiber.sleep(Duration.ofMillis(request.target().length()));
                                        running[0]--;
                                        return HttpResponse.text(request.target());
                                    })) {
                        StringBuilder sent = new StringBuilder();
                        for (int i = 0; i < 16; i++) {
                            sent.append("GET /").append("x".repeat(15 - i));
                            sent.append(" HTTP/1.1\r\nHost: a\r\n");
                            sent.append(i == 15 ? "Connection: close\r\n\r\n" : "\r\n");
                        }
                        String got = web.answer(server, sent.toString());
                        int from = 0;
                        for (int i = 0; i < 16; i++) {
                            from = got.indexOf("\r\n\r\n/" + "x".repeat(15 - i), from + 1);
                            assertTrue(from > 0, got);
                        }
                    }
                });
    }

    @Test
    void I2_aConnectionIsUsedAgainUnlessEitherSideClosesIt() {
        Web.anywhere(
                web -> {
                    try (HttpServer server = web.serve(_ -> HttpResponse.text("x"))) {
                        assertEquals(
                                3, count("HTTP/1.1 200", web.answer(server, GET + GET + LAST)));
                        String old = "GET / HTTP/1.0\r\n\r\n";
                        assertEquals(1, count("HTTP/1.1 200", web.answer(server, old + GET)));
                        String kept = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
                        String three = web.answer(server, kept + kept + old);
                        assertEquals(3, count("HTTP/1.1 200", three));
                        assertEquals(2, count("connection: keep-alive", three));
                    }
                    try (HttpServer server =
                            web.serve(
                                    _ ->
                                            HttpResponse.text("x")
                                                    .withHeader("Connection", "close"))) {
                        assertEquals(1, count("HTTP/1.1 200", web.answer(server, GET + GET)));
                    }
                });
    }

    /** What a target means is decided in one place, and none of it is taken for something else. */
    @Test
    void I5_theFourFormsOfATarget() {
        Web.anywhere(
                web -> {
                    List<String> seen = new ArrayList<>();
                    try (HttpServer server =
                            web.serve(
                                    request -> {
                                        seen.add(
                                                request.path()
                                                        + " "
                                                        + request.query("x")
                                                        + " "
                                                        + request.header("Host"));
                                        return HttpResponse.text("x");
                                    })) {
                        String rest = " HTTP/1.1\r\nHost: h\r\n\r\n";
                        String got =
                                web.answer(
                                        server,
                                        "GET /a?x=/b"
                                                + rest
                                                + "GET http://a?x=/admin"
                                                + rest
                                                + "GET hTTp://a:80/b/c?x=http://d/e"
                                                + rest
                                                + "GET https://a"
                                                + rest
                                                + "OPTIONS *"
                                                + rest
                                                + "CONNECT a:443"
                                                + rest
                                                + LAST);
                        assertEquals(
                                List.of(
                                        "/a /b h",
                                        "/ /admin a",
                                        "/b/c http://d/e a:80",
                                        "/ null a",
                                        "* null h",
                                        " null h",
                                        "/ null a"),
                                seen);
                        assertEquals(6, count("HTTP/1.1 200", got), got);
                        assertEquals(1, count("HTTP/1.1 501", got), got);
                    }
                });
    }

    private static int count(String what, String in) {
        return in.split(java.util.regex.Pattern.quote(what), -1).length - 1;
    }

    // ---------------------------------------------------------------- bodies

    @Test
    void I2_bodiesGoThereAndBack() {
        Web.anywhere(
                web -> {
                    try (HttpServer server =
                                    web.serve(
                                            request ->
                                                    HttpResponse.of(
                                                            "x/y",
                                                            HttpBody.of(request.body().bytes())));
                            HttpClient client = web.client(server)) {
                        byte[] large = new byte[300_000];
                        for (int i = 0; i < large.length; i++) {
                            large[i] = (byte) (i * 31);
                        }
                        for (byte[] sent : List.of(new byte[0], new byte[] {1}, large)) {
                            HttpBody whole = HttpBody.of(sent);
                            assertArrayEquals(sent, echo(client, whole));
                            Channel<byte[]> chunks = Channel.buffered(4);
                            Fiber<?> making = Fiber.spin("chunks", () -> make(chunks, sent));
                            assertArrayEquals(sent, echo(client, HttpBody.of(chunks)));
                            making.await();
                        }
                    }
                });
    }

    private static byte[] echo(HttpClient client, HttpBody body) {
        return client.send(HttpRequest.post("/", body)).body().bytes();
    }

    private static void make(Channel<byte[]> chunks, byte[] of) {
        for (int i = 0; i < of.length; i += 1_000) {
            chunks.send(java.util.Arrays.copyOfRange(of, i, Math.min(of.length, i + 1_000)));
        }
        chunks.close();
    }

    @Test
    void I2_aProxyPassesBodiesOnAsTheyCome() {
        Web.anywhere(
                web -> {
                    try (HttpServer inner =
                                    web.serve(
                                            request ->
                                                    HttpResponse.of("x/y", request.body())
                                                            .withStatus(203));
                            HttpServer outer =
                                    web.serve(
                                            request -> {
                                                HttpClient client = web.client(inner);
                                                return client.send(
                                                        HttpRequest.post("/", request.body()));
                                            });
                            HttpClient client = web.client(outer)) {
                        HttpResponse got =
                                client.send(
                                        HttpRequest.post("/", HttpBody.of("x".repeat(100_000))));
                        assertEquals(203, got.status());
                        assertEquals("x".repeat(100_000), got.body().text());
                    }
                });
    }

    @Test
    void I2_aBodyIsReceivedAsAChannelIs() {
        Web.onSockets(
                web -> {
                    List<String> seen = new ArrayList<>();
                    try (HttpServer server =
                            web.serve(
                                    request -> {
                                        HttpBody body = request.body();
                                        seen.add(new String(body.receive(), UTF_8));
                                        seen.add(
                                                Select.of(body.onReceive(it -> "s" + it.length))
                                                        .await());
                                        assertNull(body.receive(Duration.ofMillis(5)));
                                        assertNull(body.tryReceive());
                                        return HttpResponse.text(
                                                ""
                                                        + Pipeline.from(body)
                                                                .toList()
                                                                .run()
                                                                .value()
                                                                .size());
                                    })) {
                        try (TcpConnection raw = web.raw(server)) {
                            raw.write(
                                    "POST / HTTP/1.1\r\nHost: a\r\n"
                                            + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
                            web.until(() -> seen.size() == 1);
                            raw.write("2\r\nbb\r\n");
                            web.until(() -> seen.size() == 2);
                            Fiber.sleep(Duration.ofMillis(50));
                            raw.write("1\r\nc\r\n3;x=y\r\nddd\r\n0\r\nTrailer: x\r\n\r\n");
                            assertTrue(Web.head(raw).contains("200"));
                            assertEquals('2', raw.readFully(1)[0]);
                        }
                        assertEquals(List.of("a", "s2"), seen);
                    }
                });
    }

    @Test
    void I2_theEndOfABodyIsAClosedChannel() {
        Web.anywhere(
                web -> {
                    try (HttpServer server =
                                    web.serve(
                                            request -> {
                                                HttpBody body = request.body();
                                                web.until(
                                                        () ->
                                                                Select.of(
                                                                                body.onReceive(
                                                                                        _ -> true),
                                                                                Select.otherwise(
                                                                                        () ->
                                                                                                false))
                                                                        .await());
                                                body.bytes();
                                                for (int i = 0; i < 2; i++) {
                                                    assertEnded(body::receive);
                                                    assertEnded(body::tryReceive);
                                                    assertEnded(() -> body.receive(LONG));
                                                    assertEnded(
                                                            () ->
                                                                    Select.of(
                                                                                    body.onReceive(
                                                                                            it ->
                                                                                                    it))
                                                                            .await());
                                                }
                                                return HttpResponse.text("ok");
                                            });
                            HttpClient client = web.client(server)) {
                        for (int i = 0; i < 2; i++) {
                            assertEquals(
                                    "ok",
                                    client.send(HttpRequest.post("/", HttpBody.of("abc")))
                                            .body()
                                            .text());
                        }
                    }
                });
    }

    private static void assertEnded(org.junit.jupiter.api.function.Executable receive) {
        assertNull(assertThrows(ClosedException.class, receive).getCause());
    }

    @Test
    void I3_aBodyThatNobodyReceivesHoldsTheClientUp() {
        Web.anywhere(
                web -> {
                    boolean[] isSent = {false};
                    boolean[] mayReceive = {false};
                    try (HttpServer server =
                                    web.serve(
                                            request -> {
                                                web.until(() -> mayReceive[0]);
                                                int count = 0;
                                                for (byte[] each : request.body()) {
                                                    count += each.length;
                                                }
                                                return HttpResponse.text("" + count);
                                            });
                            HttpClient client = web.client(server)) {
                        int size = web.isVirtual ? 3_000_000 : 30_000_000;
                        Fiber<String> sending =
                                Fiber.spin(
                                        "sends",
                                        () -> {
                                            Channel<byte[]> chunks = Channel.rendezvous();
                                            Fiber.spin(
                                                    "makes",
                                                    () -> {
                                                        for (int i = 0; i < 10; i++) {
                                                            chunks.send(new byte[size / 10]);
                                                        }
                                                        chunks.close();
                                                        isSent[0] = true;
                                                    });
                                            return client.send(
                                                            HttpRequest.post(
                                                                    "/", HttpBody.of(chunks)))
                                                    .body()
                                                    .text();
                                        });
                        for (int i = 0; i < 100; i++) {
                            Fiber.sleep(Duration.ofMillis(2));
                        }
                        assertFalse(isSent[0]);
                        mayReceive[0] = true;
                        assertEquals("" + size, sending.await());
                    }
                });
    }

    @Test
    void I2_aClientIsInvitedToSendWhenTheBodyIsWanted() {
        Web.anywhere(
                web -> {
                    String ask =
                            "POST /%s HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
                                    + "Expect: 100-continue\r\n\r\n";
                    try (HttpServer server =
                            web.serve(
                                    request ->
                                            HttpResponse.text(
                                                    request.path().equals("/read")
                                                            ? request.body().text()
                                                            : "unread"))) {
                        try (TcpConnection raw = web.raw(server)) {
                            raw.write(ask.replace("%s", "read"));
                            assertEquals("HTTP/1.1 100 Continue\n", Web.head(raw));
                            raw.write("hello");
                            assertTrue(Web.head(raw).startsWith("HTTP/1.1 200"));
                            assertEquals("hello", new String(raw.readFully(5), UTF_8));
                            raw.write(ask.replace("%s", "not"));
                            String rest = Web.rest(raw);
                            assertTrue(rest.startsWith("HTTP/1.1 200"), rest);
                            assertTrue(rest.contains("connection: close"), rest);
                            assertTrue(rest.endsWith("unread"), rest);
                        }
                    }
                });
    }

    @Test
    void I2_whatIsUnreadOfABodyIsDroppedOrTheConnectionClosed() {
        Web.anywhere(
                web -> {
                    try (HttpServer server = web.serve(_ -> HttpResponse.text("x"))) {
                        String small =
                                "POST / HTTP/1.1\r\n"
                                        + "Host: a\r\n"
                                        + "Content-Length: 10\r\n\r\n"
                                        + "0123456789";
                        assertEquals(3, count("200 OK", web.answer(server, small + small + LAST)));
                        String large =
                                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
                        String got = web.answer(server, large + "x".repeat(1_000));
                        assertEquals(1, count("200 OK", got));
                        assertTrue(got.endsWith("x"), got);
                        assertFalse(got.endsWith("RESET"), got);
                    }
                });
    }

    @Test
    void I2_aStreamThatFailsIsCutOff() {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                try (HttpServer server =
                                                web.serve(_ -> HttpResponse.of("x/y", failing()));
                                        HttpClient client = web.client(server)) {
                                    HttpResponse got = client.send(HttpRequest.get("/"));
                                    assertThrows(ConnectionException.class, got.body()::bytes);
                                } catch (ConnectionException resetBeforeTheHeadWasRead) {
                                    assertTrue(true);
                                }
                            });
                    assertEquals(1, lines.size(), lines::toString);
                });
    }

    private static HttpBody failing() {
        Channel<byte[]> chunks = Channel.buffered(4);
        chunks.send(new byte[10]);
        chunks.close(new IllegalStateException("no more"));
        return HttpBody.of(chunks);
    }

    /** The fiber that fails is a child of the client's, not of the server's. */
    @Test
    void I2_aFiberOfAHandlerThatFailsEndsOneConnection() {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                try (HttpServer server = web.serve(ServerTest::childFails);
                                        HttpClient client = web.client(server)) {
                                    assertThrows(
                                            ConnectionException.class,
                                            () -> client.send(HttpRequest.get("/")).body().bytes());
                                    assertEquals(
                                            "ok",
                                            client.send(HttpRequest.get("/ok")).body().text());
                                }
                            });
                    assertEquals(1, lines.size(), lines::toString);
                });
    }

    private static HttpResponse childFails(HttpRequest request) {
        if (request.path().equals("/ok")) {
            return HttpResponse.text("ok");
        }
        Channel<byte[]> chunks = Channel.rendezvous();
        Fiber.spin(
                "fails",
                () -> {
                    chunks.send(new byte[10]);
                    throw new IllegalStateException("no more");
                });
        return HttpResponse.of("x/y", HttpBody.of(chunks));
    }

    @Test
    void I2_aClientThatGoesWhileAFiberSendsIsNoFailure() {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    boolean[] isEnded = {false};
                    Logs.during(
                            lines::add,
                            () -> {
                                try (HttpServer server =
                                        web.serve(
                                                request -> {
                                                    Channel<byte[]> chunks = Channel.rendezvous();
                                                    Fiber.spin(
                                                            "sends",
                                                            () -> sendAll(chunks, isEnded));
                                                    return HttpResponse.of(
                                                            "x/y", HttpBody.of(chunks));
                                                })) {
                                    TcpConnection raw = web.raw(server);
                                    raw.write(GET);
                                    assertTrue(Web.head(raw).contains("chunked"));
                                    raw.reset();
                                    web.until(() -> isEnded[0]);
                                    Fiber.sleep(LONG);
                                    web.raw(server).close();
                                }
                            });
                    assertEquals(List.of(), lines);
                });
    }

    private static void sendAll(Channel<byte[]> chunks, boolean[] isEnded) {
        try {
            while (true) {
                chunks.send(new byte[1_000]);
            }
        } finally {
            isEnded[0] = true;
        }
    }

    @Test
    void I2_aStreamWhoseClientHasGoneIsCancelled() {
        Web.anywhere(
                web -> {
                    Channel<byte[]> chunks = Channel.buffered(4);
                    try (HttpServer server =
                            web.serve(_ -> HttpResponse.of("x/y", HttpBody.of(chunks)))) {
                        TcpConnection raw = web.raw(server);
                        raw.write(GET);
                        assertTrue(Web.head(raw).contains("chunked"));
                        raw.reset();
                        assertThrows(
                                ClosedException.class,
                                () -> {
                                    while (true) {
                                        chunks.send(new byte[1_000]);
                                    }
                                });
                    }
                });
    }

    // ---------------------------------------------------------------- failures and limits

    private static HttpResponse failsOrNot(HttpRequest request) throws IOException {
        return switch (request.path()) {
            case "/exception" -> throw new IOException("secret");
            case "/error" -> throw new AssertionError("secret");
            case "/told" -> throw new HttpException(404, "not here");
            default -> HttpResponse.text("ok");
        };
    }

    @Test
    void I2_aHandlerThatFailsAnswers500AndIsLogged() {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                try (HttpServer server = web.serve(ServerTest::failsOrNot);
                                        HttpClient client = web.client(server)) {
                                    for (String path : List.of("/exception", "/error")) {
                                        HttpResponse got = client.send(HttpRequest.get(path));
                                        assertEquals(500, got.status());
                                        assertEquals("the server failed\n", got.body().text());
                                    }
                                    HttpResponse told = client.send(HttpRequest.get("/told"));
                                    assertEquals(404, told.status());
                                    assertEquals("not here\n", told.body().text());
                                    assertEquals(
                                            "ok", client.send(HttpRequest.get("/")).body().text());
                                }
                            });
                    assertEquals(2, lines.size(), lines::toString);
                });
    }

    @Test
    void I2_aSilentClientIsLeftAfterAWhile() {
        Web.anywhere(
                web -> {
                    HttpOptions hasty =
                            HttpOptions.defaults().withHeadLimit(Duration.ofMillis(300));
                    try (HttpServer server = web.serve(hasty, _ -> HttpResponse.text("x"))) {
                        assertEquals("", web.answer(server, ""));
                        assertEquals("", web.answer(server, "GET / HTT"));
                        assertEquals(1, count("200 OK", web.answer(server, GET)));
                    }
                });
    }

    @Test
    void I2_halfABodyAndSilence() {
        Web.inMemory(
                web -> {
                    HttpOptions hasty =
                            HttpOptions.defaults()
                                    .withTcp(
                                            TcpOptions.defaults()
                                                    .withReadLimit(Duration.ofMillis(200)));
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                try (HttpServer server =
                                        web.serve(
                                                hasty,
                                                request ->
                                                        HttpResponse.text(request.body().text()))) {
                                    String got =
                                            web.answer(
                                                    server,
                                                    "POST / HTTP/1.1\r\nHost: a\r\n"
                                                            + "Content-Length: 5\r\n\r\nab");
                                    assertTrue(got.startsWith("HTTP/1.1 408"), got);
                                }
                            });
                    assertEquals(List.of(), lines);
                });
    }

    @Test
    void I3_aClientThatReadsNothingIsLeftAfterAWhile() {
        Web.anywhere(
                web -> {
                    HttpOptions hasty =
                            HttpOptions.defaults()
                                    .withTcp(
                                            TcpOptions.defaults()
                                                    .withCloseLimit(Duration.ofMillis(100))
                                                    .withWriteLimit(Duration.ofMillis(200)));
                    Channel<byte[]> chunks = Channel.rendezvous();
                    try (HttpServer server =
                            web.serve(hasty, _ -> HttpResponse.of("x/y", HttpBody.of(chunks)))) {
                        try (TcpConnection raw =
                                TcpConnection.connect(
                                        Web.HOST,
                                        server.port(),
                                        TcpOptions.defaults().withStashBytes(100))) {
                            raw.write(GET);
                            assertThrows(
                                    ClosedException.class,
                                    () -> {
                                        while (true) {
                                            chunks.send(new byte[100_000]);
                                        }
                                    });
                        }
                    }
                });
    }

    @Test
    void I2_aBodyAboveItsLimitIsRefused() {
        Web.anywhere(
                web -> {
                    HttpOptions small = HttpOptions.defaults().withMaxBodyBytes(10);
                    try (HttpServer server =
                            web.serve(small, request -> HttpResponse.text(request.body().text()))) {
                        String head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
                        String exact =
                                web.answer(server, head + "Content-Length: 10\r\n\r\n0123456789");
                        assertTrue(exact.endsWith("0123456789"), exact);
                        String long1 =
                                web.answer(server, head + "Content-Length: 11\r\n\r\n01234567890");
                        assertTrue(long1.startsWith("HTTP/1.1 413"), long1);
                        String long2 =
                                web.answer(
                                        server,
                                        head
                                                + "Transfer-Encoding: chunked\r\n\r\n"
                                                + "b\r\n"
                                                + "01234567890\r\n"
                                                + "0\r\n\r\n");
                        assertTrue(long2.startsWith("HTTP/1.1 413"), long2);
                    }
                });
    }

    // ---------------------------------------------------------------- the end

    @Test
    void I2_aDrainAnswersWhatIsUnderWay() {
        Web.anywhere(
                web -> {
                    boolean[] isAsked = {false};
                    boolean[] mayAnswer = {false};
                    HttpServer server =
                            web.serve(
                                    _ -> {
                                        isAsked[0] = true;
                                        web.until(() -> mayAnswer[0]);
                                        return HttpResponse.text("late");
                                    });
                    TcpConnection idle = web.raw(server);
                    Fiber<String> idling = Fiber.spin("idle", () -> Web.rest(idle));
                    TcpConnection busy = web.raw(server);
                    busy.write(GET + GET);
                    web.until(() -> isAsked[0]);
                    Fiber<Boolean> draining = Fiber.spin("drain", () -> server.drain(LONG));
                    assertEquals("", idling.await());
                    assertThrows(ConnectionException.class, () -> refused(web, server));
                    mayAnswer[0] = true;
                    String got = Web.rest(busy);
                    assertEquals(1, count("200 OK", got), got);
                    assertTrue(got.contains("connection: close"), got);
                    idle.close();
                    busy.close();
                    assertTrue(draining.await());
                });
    }

    private static void refused(Web web, HttpServer server) {
        while (true) {
            web.raw(server).close(); // what the kernel accepts in this turn is reset
            Fiber.snooze();
        }
    }

    @Test
    void I2_aDrainThatIsTooSlowBreaksOff() {
        Web.anywhere(
                web -> {
                    boolean[] isAsked = {false};
                    boolean[] isEnded = {false};
                    HttpServer server =
                            web.serve(
                                    _ -> {
                                        isAsked[0] = true;
                                        try {
                                            Fiber.suspend();
                                            return HttpResponse.text("never");
                                        } finally {
                                            isEnded[0] = true;
                                        }
                                    });
                    try (TcpConnection raw = web.raw(server)) {
                        raw.write(GET);
                        web.until(() -> isAsked[0]);
                        assertFalse(server.drain(Duration.ofMillis(100)));
                        assertEquals("", Web.rest(raw).replace("RESET", ""));
                        assertTrue(isEnded[0]);
                    }
                });
    }

    @Test
    void I2_aClosedServerHasNoFiberLeft() {
        Web.anywhere(
                web -> {
                    HttpServer server = web.serve(_ -> HttpResponse.text("x"));
                    List<TcpConnection> clients = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        clients.add(web.raw(server));
                    }
                    clients.getFirst().write(GET);
                    assertTrue(Web.head(clients.getFirst()).contains("200"));
                    server.close();
                    server.close();
                    server.await();
                    for (TcpConnection each : clients) {
                        Web.rest(each);
                        each.close();
                    }
                    assertEquals(List.of(), Fiber.current().children());
                });
    }
}
