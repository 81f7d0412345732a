package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Where two layers meet: a head and the connection, bytes and text, a client and a program between
 * it and another server, an end and what comes at the same moment.
 */
@SuppressWarnings({"StringConcatToTextBlock", "try"}) // each byte of a line end matters
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SeamsTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final HttpRequest GET = HttpRequest.get("/");
    private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\n";

    // ---------------------------------------------------------------- a head and its connection

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET admin HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n",
                "GET / HTTP/1.0\r\nHost: a/b\r\nConnection: keep-alive\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
                POST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                POST + "Content-Length: 65537\r\n\r\n", // more than is dropped
            })
    void I5_aRefusalTellsThatTheConnectionEnds(String bytes) {
        Web.anywhere(
                web -> {
                    try (HttpServer server = web.serve(_ -> HttpResponse.text("x"))) {
                        String got = web.answer(server, bytes);
                        assertTrue(got.contains("connection: close\r\n"), got);
                    }
                });
    }

    // ---------------------------------------------------------------- bytes and text

    private static HttpResponse says(HttpRequest request) {
        return HttpResponse.text(
                request.path() + " " + request.query("x") + " " + request.body().text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /%ff HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /%c0%af HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /a%C3 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /a%C3b%BC HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /%ed%a0%80 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /?x=%ff HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /?%ff=x HTTP/1.1\r\nHost: a\r\n\r\n",
                POST + "Content-Length: 1\r\n\r\n\u00ff",
                POST + "Transfer-Encoding: chunked\r\n\r\n1\r\n\u00c3\r\n0\r\n\r\n",
            })
    void I5_whatIsNoUtf8IsRefused(String bytes) {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                try (HttpServer server = web.serve(SeamsTest::says)) {
                                    String got = web.answer(server, bytes);
                                    assertTrue(got.startsWith("HTTP/1.1 400 "), got);
                                }
                            });
                    assertEquals(List.of(), lines);
                });
    }

    @Test
    void I5_utf8OfEachLengthIsText() {
        Web.anywhere(
                web -> {
                    try (HttpServer server = web.serve(SeamsTest::says);
                            HttpClient client = web.client(server)) {
                        String target = "/%c3%bc%E2%82%AC?x=%F0%9F%98%80+%ef%bf%bd";
                        HttpBody half = HttpBody.of(cut("\u20ac", 1));
                        HttpResponse got = client.send(HttpRequest.post(target, half));
                        assertEquals("/\u00fc\u20ac \ud83d\ude00 \ufffd \u20ac", got.body().text());
                    }
                });
    }

    /** A character may come in two chunks. */
    private static Channel<byte[]> cut(String text, int at) {
        byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        Channel<byte[]> chunks = Channel.buffered(2);
        chunks.send(java.util.Arrays.copyOf(bytes, at));
        chunks.send(java.util.Arrays.copyOfRange(bytes, at, bytes.length));
        chunks.close();
        return chunks;
    }

    @Test
    void I5_aResponseThatIsNoUtf8IsNoText() {
        Web.anywhere(
                web -> {
                    byte[] bytes = {'a', (byte) 0xff};
                    try (HttpServer server =
                                    web.serve(_ -> HttpResponse.of("x/y", HttpBody.of(bytes)));
                            HttpClient client = web.client(server)) {
                        HttpBody body = client.send(GET).body();
                        assertThrows(HttpException.class, body::text);
                        assertEquals(2, client.send(GET).body().bytes().length);
                    }
                });
    }

    @Test
    void I5_aFieldThatTheWireCannotHoldIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> GET.withHeader("X", "\u20ac"));
        assertEquals("\u00fc", GET.withHeader("X", "\u00fc").header("X"));
    }

    // ---------------------------------------------------------------- a client and what answers it

    /** What a client does. */
    @FunctionalInterface
    private interface Use {
        void run(HttpClient client) throws Exception;
    }

    /** Each connection is answered once with these bytes, when the head of a request is here. */
    private static void against(List<String> answers, Use use) {
        Web.anywhere(
                web -> {
                    try (TcpListener listener = TcpListener.bind(Web.HOST, 0)) {
                        Fiber<?> server =
                                Fiber.spin(
                                        "server",
                                        () -> {
                                            for (String each : answers) {
                                                try (TcpConnection one = listener.accept()) {
                                                    Web.head(one);
                                                    one.write(each).shutdownOutput();
                                                    Web.rest(one);
                                                }
                                            }
                                        });
                        try (HttpClient client = HttpClient.connect(Web.HOST, listener.port())) {
                            use.run(client);
                        }
                        server.terminate();
                        server.awaitEnd(Duration.ofDays(1));
                    }
                });
    }

    private static final String NEXT = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "1\r\nx\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
                        + "1\r\nx\r\n0\r\n\r\n",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
                "HTTP/1.0 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "1\r\nx\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
            })
    void I5_anAnswerThatMayEndInTwoPlacesIsNone(String bytes) {
        against(
                List.of(bytes, NEXT),
                client -> {
                    assertThrows(CodecException.class, () -> client.send(GET));
                    assertEquals("next", client.send(GET).body().text());
                });
    }

    @Test
    void I5_aTunnelIsNoAnswer() {
        against(
                List.of("HTTP/1.1 200 OK\r\n\r\nwhat comes out of it", NEXT),
                client -> {
                    HttpRequest tunnel = HttpRequest.of("CONNECT", "a:80");
                    assertThrows(CodecException.class, () -> client.send(tunnel));
                    assertEquals("next", client.send(GET).body().text());
                });
    }

    @Test
    void I5_aTunnelThatIsRefusedIsAnswered() {
        against(
                List.of("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"),
                client -> {
                    HttpResponse got = client.send(HttpRequest.of("CONNECT", "a:80"));
                    assertEquals(403, got.status());
                    assertEquals("no", got.body().text());
                });
    }

    /** The kernel drops nothing that came before the reset. */
    @Test
    void I5_anAnswerBeforeTheEndOfTheRequestArrivesAlsoWithAReset() {
        Web.anywhere(
                web -> {
                    try (TcpListener listener = TcpListener.bind(Web.HOST, 0);
                            HttpClient client = HttpClient.connect(Web.HOST, listener.port())) {
                        Fiber.spin(
                                "server",
                                () -> {
                                    TcpConnection one = listener.accept();
                                    Web.head(one);
                                    one.write("HTTP/1.1 413 X\r\nContent-Length: 2\r\n\r\nno");
                                    one.flush();
                                    Fiber.sleep(Duration.ofMillis(50));
                                    one.reset();
                                });
                        HttpBody much = HttpBody.of(new byte[50_000_000]);
                        HttpResponse got = client.send(HttpRequest.post("/", much));
                        assertEquals(413, got.status());
                        assertEquals("no", got.body().text());
                    }
                });
    }

    /** Who tries again must not send the rest of it, or nothing, as the whole. */
    @Test
    void I5_aChannelThatWasSentIsNotSentAgain() {
        against(
                List.of("", NEXT),
                client -> {
                    Channel<byte[]> chunks = Channel.buffered(2);
                    chunks.send(new byte[] {'x'});
                    chunks.close();
                    HttpRequest post = HttpRequest.post("/", HttpBody.of(chunks));
                    assertThrows(ConnectionException.class, () -> client.send(post));
                    assertThrows(ClosedException.class, () -> client.send(post));
                });
    }

    @Test
    void I5_aChannelThatWasAnsweredIsNoEmptyAnswer() {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                Channel<byte[]> chunks = Channel.buffered(2);
                                chunks.send(new byte[] {'x'});
                                chunks.close();
                                HttpResponse one = HttpResponse.of("x/y", HttpBody.of(chunks));
                                try (HttpServer server = web.serve(_ -> one);
                                        HttpClient client = web.client(server)) {
                                    assertEquals("x", client.send(GET).body().text());
                                    assertEquals(500, client.send(GET).status());
                                }
                            });
                    assertEquals(1, lines.size(), lines::toString);
                });
    }

    @Test
    void I5_aClientThatIsClosedWhileItConnectsAnewKeepsNoConnection() {
        Web.inMemory(
                web -> {
                    int[] alive = {0};
                    try (TcpListener listener = TcpListener.bind(Web.HOST, 0)) {
                        Fiber<?> server =
                                Fiber.spin(
                                        "server",
                                        () ->
                                                listener.serve(
                                                        "one",
                                                        one -> {
                                                            alive[0]++;
                                                            Web.head(one);
                                                            one.write(
                                                                    "HTTP/1.1 200 OK\r\n"
                                                                            + "Connection: close"
                                                                            + "\r\n"
                                                                            + "Content-Length: 1"
                                                                            + "\r\n\r\nx");
                                                            Web.rest(one);
                                                            alive[0]--;
                                                        }));
                        HttpClient client = HttpClient.connect(Web.HOST, listener.port());
                        assertEquals("x", client.send(GET).body().text());
                        Fiber<?> sending =
                                Fiber.spin(
                                        "sends",
                                        () ->
                                                assertThrows(
                                                        RuntimeException.class,
                                                        () -> client.send(GET)));
                        Waits.yieldTurn();
                        client.close();
                        sending.await();
                        Fiber.sleep(LONG);
                        assertEquals(0, alive[0]);
                        server.terminate();
                        server.awaitEnd(LONG);
                    }
                });
    }

    // ---------------------------------------------------------------- a program between two

    /** At each moment of its connect, also while the codec is put there. */
    @Test
    void I5_aFiberThatIsEndedWhileItConnectsLeavesNoConnection() {
        Web.anywhere(
                _ -> {
                    for (int pauses = 0; pauses < 12; pauses++) {
                        try (TcpListener listener = TcpListener.bind(Web.HOST, 0)) {
                            Fiber<?> server =
                                    Fiber.spin(
                                            "server",
                                            () -> listener.serve("client", SeamsTest::rest));
                            Fiber<HttpClient> connecting =
                                    Fiber.spin(
                                            "connects",
                                            () -> HttpClient.connect(Web.HOST, listener.port()));
                            for (int i = 0; i < pauses; i++) {
                                Fiber.snooze();
                            }
                            connecting.terminate();
                            connecting.awaitEnd(Duration.ofDays(1));
                            if (connecting.failure() == null) {
                                connecting.await().close();
                            }
                            assertTrue(listener.drain(Duration.ofHours(1)), "pauses=" + pauses);
                            server.await();
                        }
                    }
                });
    }

    private static void rest(TcpConnection client) {
        while (client.read(new byte[100]) >= 0) {
            assertTrue(client.isOpen());
        }
    }

    @Test
    void I5_aHeadTellsTheLengthThatTheProgramKnows() {
        Web.anywhere(
                web -> {
                    try (HttpServer inner = web.serve(_ -> HttpResponse.text("hello"));
                            HttpClient backend = web.client(inner);
                            HttpServer outer =
                                    web.serve(
                                            request ->
                                                    backend.send(
                                                            HttpRequest.of(
                                                                    request.method(), "/")));
                            HttpClient client = web.client(outer)) {
                        HttpResponse head = client.send(HttpRequest.of("HEAD", "/"));
                        assertEquals("5", head.header("Content-Length"));
                        assertEquals("hello", client.send(GET).body().text());
                    }
                });
    }

    private static List<Logs.Line> logged(Web web, HttpHandler handler, String sent) {
        List<Logs.Line> lines = new ArrayList<>();
        Logs.during(
                lines::add,
                () -> {
                    HttpServer server = web.serve(handler);
                    try (TcpConnection raw = web.raw(server)) {
                        raw.write(sent);
                        Fiber.sleep(LONG);
                    } catch (ConnectionException refused) {
                        assertNotNull(refused);
                    }
                    server.drain(LONG);
                });
        return lines;
    }

    /** The handler has answered by then: what the client sends too much is still the client's. */
    @Test
    void I5_aBodyAboveItsLimitInAFiberIsNoErrorOfTheServer() {
        String much = POST + "Content-Length: 2000000\r\n\r\n" + "x".repeat(2_000_000);
        for (boolean isTold : new boolean[] {false, true}) {
            Web.inMemory(
                    web -> {
                        List<Logs.Line> lines =
                                logged(
                                        web,
                                        request -> {
                                            Channel<byte[]> chunks = Channel.rendezvous();
                                            Fiber.spin(
                                                    "reads",
                                                    () -> {
                                                        try {
                                                            chunks.send(request.body().bytes());
                                                        } catch (HttpException refused) {
                                                            if (!isTold) {
                                                                throw refused;
                                                            }
                                                            chunks.close(refused);
                                                        }
                                                    });
                                            return HttpResponse.of("x/y", HttpBody.of(chunks));
                                        },
                                        much);
                        assertEquals(List.of(), lines);
                    });
        }
    }

    /** The client has sent nothing wrong, and somebody has to know. */
    @Test
    void I5_whatAServerBehindAProxyAnswersWronglyIsAnError() {
        Web.inMemory(
                web -> {
                    byte[] much = new byte[2_000_000];
                    byte[] noText = {(byte) 0xff};
                    try (HttpServer inner =
                                    web.serve(
                                            request ->
                                                    HttpResponse.of(
                                                            "x/y",
                                                            HttpBody.of(
                                                                    request.path().equals("/much")
                                                                            ? much
                                                                            : noText)));
                            HttpClient backend = web.client(inner)) {
                        HttpHandler proxy =
                                request ->
                                        HttpResponse.text(
                                                backend.send(HttpRequest.get(request.path()))
                                                        .body()
                                                        .text());
                        for (String path : List.of("/much", "/bad")) {
                            List<Logs.Line> lines =
                                    logged(
                                            web,
                                            proxy,
                                            "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
                            assertEquals(1, lines.size(), lines::toString);
                            assertEquals(Level.ERROR, lines.getFirst().level());
                        }
                    }
                });
    }

    /** It is no fault of the client. */
    @Test
    void I5_aSilentServerBehindAProxyIsAnError() {
        Web.inMemory(
                web -> {
                    Channel<byte[]> silent = Channel.rendezvous();
                    List<Logs.Line> lines;
                    try (HttpServer inner =
                                    web.serve(_ -> HttpResponse.of("x/y", HttpBody.of(silent)));
                            HttpClient backend = web.client(inner)) {
                        lines =
                                logged(
                                        web,
                                        _ -> backend.send(GET),
                                        "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                    }
                    assertEquals(1, lines.size(), lines::toString);
                    assertEquals(Level.ERROR, lines.getFirst().level());
                });
    }

    // ---------------------------------------------------------------- an end and what comes with
    // it

    /** Both at the same time of the clock; the seed says which of the fibers runs first. */
    @Test
    void I5_aRequestThatComesWithTheDrainIsAnsweredOrLeft() {
        String post = POST + "Content-Length: 1\r\n\r\nx";
        for (long seed = 1; seed <= 40; seed++) {
            String shown = "seed=" + seed + ": ";
            TestCord.run(
                    seed,
                    true,
                    () -> {
                        Duration delay = Duration.ofMillis(1);
                        MemoryNetwork.current().delay(delay, delay).maxPiece(100_000);
                        HttpServer server = HttpServer.start(Web.HOST, 0, SeamsTest::says);
                        try (TcpConnection raw = TcpConnection.connect(Web.HOST, server.port())) {
                            raw.write(post);
                            Web.head(raw);
                            raw.readFully("/ null x".length());
                            raw.write(post).flush();
                            Fiber<?> draining =
                                    Fiber.spin(
                                            "drains",
                                            () -> {
                                                Fiber.sleep(delay);
                                                server.drain(LONG);
                                            });
                            String got = Web.rest(raw);
                            assertTrue(got.isEmpty() || got.endsWith("/ null x"), shown + got);
                            assertEquals(got.isEmpty(), !got.startsWith("HTTP/1.1 200"), got);
                            raw.close();
                            draining.await();
                        }
                    });
        }
    }

    /** It connects while the server is told to end, and its fiber has not run yet at times. */
    @Test
    void I5_aClientThatComesWithTheDrainIsNotWaitedFor() {
        Web.inMemory(
                web -> {
                    HttpOptions options = HttpOptions.defaults().withHeadLimit(LONG);
                    try (HttpServer server = web.serve(options, SeamsTest::says)) {
                        TcpConnection raw = web.raw(server);
                        Fiber<?> client =
                                Fiber.spin(
                                        "client",
                                        () -> {
                                            try (raw) {
                                                Web.rest(raw);
                                            }
                                        });
                        long beganNs = Cord.current().nanoTime();
                        server.drain(LONG);
                        client.await();
                        assertTrue(Cord.current().nanoTime() - beganNs < LONG.toNanos() / 2);
                    }
                });
    }

    /** A fiber that fails while nobody asks takes the connection along all the same. */
    @Test
    void I5_aFiberThatFailsBehindItsAnswerBreaksTheConnectionOff() {
        Web.inMemory(
                web -> {
                    List<Logs.Line> lines = new ArrayList<>();
                    Logs.during(
                            lines::add,
                            () -> {
                                try (HttpServer server = web.serve(SeamsTest::failsLater);
                                        TcpConnection raw = web.raw(server)) {
                                    raw.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                                    Web.head(raw);
                                    assertEquals("xRESET", Web.rest(raw));
                                }
                            });
                    assertEquals(1, lines.size(), lines::toString);
                    assertEquals(Level.ERROR, lines.getFirst().level());
                });
    }

    private static HttpResponse failsLater(HttpRequest request) {
        Fiber.spin(
                "fails",
                () -> {
                    Fiber.sleep(Duration.ofSeconds(1));
                    throw new IllegalStateException("a bug, " + request);
                });
        return HttpResponse.text("x");
    }

    /** It lives as long as the connection, and ends with it. */
    @Test
    void I5_whatAHandlerHasSpunGoesOnBehindItsAnswer() {
        Web.anywhere(
                web -> {
                    int[] ticks = {0};
                    boolean[] isEnded = {false};
                    try (HttpServer server =
                            web.serve(
                                    request -> {
                                        if (request.path().equals("/spin")) {
                                            Fiber.spin("ticks", () -> tick(ticks, isEnded));
                                        }
                                        return HttpResponse.text("x");
                                    })) {
                        try (HttpClient client = web.client(server)) {
                            assertEquals("x", client.send(GET).body().text());
                            HttpRequest spin = HttpRequest.get("/spin");
                            assertEquals("x", client.send(spin).body().text());
                            for (int i = 0; i < 3; i++) {
                                int seen = ticks[0];
                                web.until(() -> ticks[0] > seen + 2);
                                assertEquals("x", client.send(GET).body().text());
                            }
                            assertFalse(isEnded[0]);
                        }
                        web.until(() -> isEnded[0]);
                    }
                });
    }

    private static void tick(int[] ticks, boolean[] isEnded) {
        try {
            while (true) {
                Fiber.sleep(Duration.ofMillis(1));
                ticks[0]++;
            }
        } finally {
            isEnded[0] = true;
        }
    }

    @Test
    void I5_aClientThatHasEndedItsOutputIsAnswered() {
        Web.anywhere(
                web -> {
                    Channel<byte[]> chunks = Channel.rendezvous();
                    try (HttpServer server =
                                    web.serve(_ -> HttpResponse.of("x/y", HttpBody.of(chunks)));
                            TcpConnection raw = web.raw(server)) {
                        raw.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").shutdownOutput();
                        Web.head(raw);
                        Fiber.sleep(Duration.ofMillis(20));
                        chunks.send("x".getBytes(ISO_8859_1));
                        chunks.close();
                        assertEquals("1\r\nx\r\n0\r\n\r\n", Web.rest(raw));
                    }
                });
    }

    @Test
    void I5_whatFollowsABodyThatNobodyReadIsAnswered() {
        Web.anywhere(
                web -> {
                    try (HttpServer server = web.serve(r -> HttpResponse.text(r.target()))) {
                        String got =
                                web.answer(
                                        server,
                                        POST
                                                + "Transfer-Encoding: chunked\r\n\r\n"
                                                + "5\r\nhello\r\n0\r\nT: u\r\n\r\n"
                                                + POST
                                                + "Content-Length: 5\r\n\r\nhello"
                                                + "HEAD /3 HTTP/1.1\r\nHost: a\r\n\r\n"
                                                + "GET /4 HTTP/1.1\r\nHost: a\r\n"
                                                + "Connection: close\r\n\r\n");
                        assertEquals(5, got.split("HTTP/1.1 200", -1).length, got);
                        assertTrue(got.endsWith("/4"), got);
                    }
                });
    }
}
